package mayfly.process;

/** The end of a process, which may come at any moment. */
public interface ProcessLife {

    /** Returns true if the process has not exited. */
    boolean isAlive();

    /** Waits until the process exits; returns false on time-out. */
    boolean awaitExit(int millis);

    /**
     * Waits until the process exits; returns false if it has neither exited nor begun to exit within the time. On a
     * busy machine the memory of a killed process may be gone a second before the process itself.
     */
    boolean isEnding(int millis);

    /**
     * Returns true if every thread has begun to exit, or has exited. Unlike {@link #isEnding}, returns false if the
     * first thread alone has ended.
     */
    boolean isExiting();
}
