package mayfly.record;

import java.util.concurrent.locks.LockSupport;

/** The time of a recording. A test replaces it by one that the test advances. */
interface RecordingClock {
    /** The clock of the machine. */
    RecordingClock MONOTONIC = new RecordingClock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void pause(long nanos) {
            LockSupport.parkNanos(nanos);
        }
    };

    /** Returns the time, CLOCK_MONOTONIC in ns. */
    long nanos();

    /** Waits, at most for the given time. */
    void pause(long nanos);
}
