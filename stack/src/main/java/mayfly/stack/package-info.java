/**
 * The current stacks of a process's threads: of one thread as a callback, or of all threads as a dump.
 *
 * <p>A {@link WalkRequest} names a thread. {@link ThreadWalks} copies and walks it, passes each frame as a
 * {@link FrameReport} to a {@link FrameCallback}, and returns a {@link ThreadWalk} with the outcome.
 * {@link ThreadDumper} does this for all threads and returns a {@link ThreadDump}. {@code state} has its parts beyond
 * stacks, and {@code lock} reads those about locks. Start reading at {@link ThreadWalks}, which has an example.
 *
 * <p>A thread is stopped only while its registers and its stack are copied, and it is walked after it has been
 * released. The callback therefore runs while the thread runs. No code is injected into the target, and none of its
 * locks is taken. A thread that has ended, or that cannot be copied safely, has a result with the reason instead of
 * frames; it does not end the dump.
 */
@org.jspecify.annotations.NullMarked
package mayfly.stack;
