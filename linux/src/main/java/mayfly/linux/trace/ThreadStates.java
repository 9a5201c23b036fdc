package mayfly.linux.trace;

import java.io.File;
import java.io.IOException;
import mayfly.linux.LiveProcess;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.Stat;
import mayfly.process.TargetThread;

/** The states of a target's threads, as /proc shows them to a tracer. */
final class ThreadStates {
    private static final int MAX_STATUS = 1 << 16;

    private final LiveProcess target;

    ThreadStates(LiveProcess target) {
        this.target = target;
    }

    /** Returns true if a thread with this id is in the target now. */
    boolean isOfTarget(int tid) {
        return new File(task(tid)).exists();
    }

    /** Returns true if a thread runs, or waits only for a CPU; false if its state cannot be read. */
    boolean isWaitingForCpu(int tid) {
        try {
            return state(tid) == 'R';
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns true if a thread is in uninterruptible sleep.
     *
     * @throws IOException if its state cannot be read
     */
    boolean isUninterruptible(int tid) throws IOException {
        return state(tid) == 'D';
    }

    private char state(int tid) throws IOException {
        return Stat.state(ProcFile.line(task(tid) + "/stat"));
    }

    /** Returns true if a thread has ended, even if it still exists; false if its state cannot be read. */
    boolean hasEnded(int tid) {
        try {
            TargetThread thread = target.thread(tid);
            return thread == null || thread.state() == 'Z' || thread.state() == 'X';
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns the id of the thread that traces a thread; 0 if there is none.
     *
     * @throws IOException if the thread has ended, or its status cannot be read
     */
    int tracer(int tid) throws IOException {
        return ProcStatus.tracerOf(status(task(tid)));
    }

    /**
     * Describes the process of a tracer, such as {@code process 7 (gdb)}. Its name is untrusted text.
     *
     * @throws IOException if the tracer has ended
     */
    static String process(int tracer) throws IOException {
        int process = ProcStatus.parse(status("/proc/" + tracer)).processId();
        return "process " + process + " ("
                + ProcStatus.parse(status("/proc/" + process)).name() + ")";
    }

    private String task(int tid) {
        return target.proc() + "/task/" + tid;
    }

    private static String status(String folder) throws IOException {
        return ProcFile.text(folder + "/status", MAX_STATUS);
    }
}
