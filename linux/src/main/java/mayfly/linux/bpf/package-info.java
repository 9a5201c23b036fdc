/** bpf(2): a program that filters samples and saves the stack pages that a sample lacks. */
@org.jspecify.annotations.NullMarked
package mayfly.linux.bpf;
