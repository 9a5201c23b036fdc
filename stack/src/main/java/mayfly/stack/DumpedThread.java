package mayfly.stack;

import java.util.List;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a {@link ThreadDump}. Names are the target's: untrusted text.
 *
 * @param tid the kernel's id of it
 * @param kernelName the kernel's name of it, at most 15 bytes
 * @param wholeName the same in full, as far as that is known: a thread of the VM has a longer one
 * @param java what its runtime says of it; null for a thread that is no Java thread
 * @param kernelState the kernel's letter, see proc_pid_stat(5), as it was just before or after the walk
 * @param cpuNanos CPU time it has used, ns; -1 if the kernel does not say
 * @param elapsedNanos since it was started, ns, in the kernel's steps of 10 ms
 * @param result how its walk went
 * @param stack leaf first
 */
public record DumpedThread(int tid, String kernelName, String wholeName, @Nullable JavaThread java, char kernelState,
                           long cpuNanos, long elapsedNanos, ThreadWalk result, List<Entry> stack) {

    public DumpedThread {
        stack = List.copyOf(stack);
    }

    /**
     * What a runtime says of one of its threads.
     *
     * @param runtime which one
     * @param name its Java name; null if it could not be read
     * @param id the runtime's number of it, 0 if it could not be read
     * @param daemon whether it does not keep the JVM from ending
     * @param state what it was doing
     * @param mounted the virtual thread that it carried just before or after the walk; null if none is known
     * @param unread why its name, or all of it, could not be read, in words; empty if it could
     */
    public record JavaThread(RuntimeId runtime, @Nullable String name, long id, boolean daemon, ThreadState state,
                             @Nullable Mounted mounted, String unread) {
    }

    /**
     * A virtual thread that a thread carries.
     *
     * @param name its name, often empty
     * @param id the runtime's number of it
     */
    public record Mounted(String name, long id) {
    }

    /**
     * A frame, or a run of native frames that is left as a hole.
     *
     * @param frame the frame, null for a hole
     * @param nativeFrames how many frames the hole stands for, {@link FrameReport#UNKNOWN} if nobody knows
     */
    public record Entry(@Nullable Frame frame, int nativeFrames) {
    }

    DumpedThread with(@Nullable JavaThread said) {
        return new DumpedThread(tid, kernelName, wholeName, said, kernelState, cpuNanos, elapsedNanos, result, stack);
    }

    /** Its Java name, or else what the VM and the kernel call it. */
    public String name() {
        JavaThread known = java;
        String name = known == null ? null : known.name();
        return name == null ? wholeName : name;
    }
}
