/**
 * A BPF program that the kernel runs at each sample. It drops the samples of other processes, and saves the pages of a
 * large stack that the sample itself lacks.
 *
 * <p>The target and the size of a sample's stack copy come in; a {@link BpfFilter} goes out, which is attached to the
 * perf events, or null if the kernel refuses the program. Start reading there: it writes the program with {@link
 * BpfCode}, and {@link Bpf} loads it. {@link StackRing} receives the saved pages and finds those of a sample. {@link
 * StackEnds} informs the program of the ends of the threads' stacks, and {@link KernelTypes} finds a field of the
 * running kernel.
 *
 * <p>A recording works without this package: if a program or a part of it is not permitted, the rest remains correct
 * and only becomes slower or has more incomplete stacks. The number of pages saved for a sample is limited, so that
 * saving takes only a small share of the sampled thread's time.
 */
@org.jspecify.annotations.NullMarked
package mayfly.linux.bpf;
