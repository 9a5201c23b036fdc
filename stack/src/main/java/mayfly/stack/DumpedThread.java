package mayfly.stack;

import java.util.List;
import java.util.Objects;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.ThreadState;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a {@link ThreadDump}. Names come from the target: untrusted text.
 *
 * @param tid the kernel's thread id
 * @param kernelName the kernel's thread name, at most 15 bytes
 * @param wholeName the full name if it is known: the kernel truncates the name of a VM thread, for example
 * @param java the information of the runtime; null for a thread that is not a Java thread
 * @param kernelState the kernel's letter, see proc_pid_stat(5), just before or after the walk
 * @param cpuNanos the CPU time used so far, ns; -1 if the kernel does not report it
 * @param elapsedNanos the time since the thread's start, ns, with the kernel's resolution of 10 ms
 * @param result the result of the walk
 * @param stack the frames, leaf first
 */
public record DumpedThread(
        int tid,
        String kernelName,
        String wholeName,
        @Nullable JavaThread java,
        char kernelState,
        long cpuNanos,
        long elapsedNanos,
        ThreadWalk result,
        List<Entry> stack) {

    public DumpedThread {
        stack = List.copyOf(stack);
    }

    /**
     * The runtime's information about one of its threads.
     *
     * @param runtime the runtime
     * @param name the Java name; null if it could not be read
     * @param id the runtime's thread id, 0 if it could not be read
     * @param daemon true if it is a daemon thread
     * @param state the state of the thread
     * @param mounted the virtual thread mounted just before or after the walk; null if none is known
     * @param unread the reason why the name, or all information, could not be read; empty if it could
     */
    public record JavaThread(
            RuntimeId runtime,
            @Nullable String name,
            long id,
            boolean daemon,
            ThreadState state,
            @Nullable Mounted mounted,
            String unread) {}

    /**
     * A virtual thread mounted on a thread.
     *
     * @param name the name, often empty
     * @param id the runtime's thread id
     */
    public record Mounted(String name, long id) {}

    /**
     * A frame, or a run of native frames replaced by a hole.
     *
     * @param frame the frame, null for a hole
     * @param nativeFrames the number of frames in the hole, {@link FrameReport#UNKNOWN} if unknown
     * @param monitors the monitors that the method has entered, the last one first
     */
    public record Entry(@Nullable Frame frame, int nativeFrames, List<EnteredMonitor> monitors) {
        public Entry {
            monitors = List.copyOf(monitors);
        }

        /** Creates an entry without monitors. */
        public Entry(@Nullable Frame frame, int nativeFrames) {
            this(frame, nativeFrames, List.of());
        }

        // The methods that the JVM generates for a record take 26 ms at their first use.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Entry entry
                    && nativeFrames == entry.nativeFrames
                    && Objects.equals(frame, entry.frame)
                    && monitors.equals(entry.monitors);
        }

        @Override
        public int hashCode() {
            return 31 * nativeFrames + Objects.hashCode(frame);
        }
    }

    DumpedThread with(@Nullable JavaThread said) {
        return new DumpedThread(tid, kernelName, wholeName, said, kernelState, cpuNanos, elapsedNanos, result, stack);
    }

    /** Returns the Java name, or else the name used by the VM and the kernel. */
    public String name() {
        JavaThread known = java;
        String name = known == null ? null : known.name();
        return name == null ? wholeName : name;
    }
}
