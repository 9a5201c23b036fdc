package mayfly.process;

/**
 * One thread of a target process, from /proc/PID/task/TID/stat.
 *
 * @param tid its id in the caller's pid namespace
 * @param name its name in the kernel (comm), untrusted text of at most 15 bytes
 * @param state the kernel's letter for its state, such as R, S, D, T, t, Z
 * @param startTicks its start time, in clock ticks since boot; identifies the thread together with the tid
 * @param userNanos user CPU time so far, ns; a multiple of the clock tick
 * @param systemNanos kernel CPU time so far, ns; a multiple of the clock tick
 */
public record TargetThread(int tid, String name, char state, long startTicks, long userNanos, long systemNanos) {}
