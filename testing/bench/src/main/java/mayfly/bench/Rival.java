package mayfly.bench;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** A profiler to be measured. */
interface Rival {
    /** Returns its name with version and mode, as in the tables. */
    String name();

    /** Returns true if it can profile JVMs of this JDK on this machine. */
    boolean supports(Jdk jdk);

    /** Returns its definition of a complete stack, in a sentence. */
    String completeMeans();

    /** Profiles a target for a while and returns the result. */
    Recorded record(Jvm jvm, int hz, Duration duration) throws RivalFailed;

    /** Prepares it to be switched on and off many times. */
    Toggle toggle(Jvm jvm, int hz) throws RivalFailed;

    /** Starts sampling a target by the rival's own command, and returns the time until it samples. */
    StartUp startUp(Jvm jvm, int hz) throws RivalFailed;

    /** A profiler that can be switched on and off. */
    interface Toggle extends AutoCloseable {
        /** Switches it on; returns once it samples. */
        void on() throws RivalFailed;

        /** Switches it off; returns once it no longer samples. */
        void off() throws RivalFailed;

        /** Returns the total number of samples so far. Called once, after the last {@link #off}. */
        long samples() throws RivalFailed;

        /** Returns the total sampling time so far, ns. */
        long onNanos();

        @Override
        void close();
    }

    /**
     * The result of a recording.
     *
     * @param counts stacks root first, frames as {@code package.Class.method}
     * @param complete samples whose stack reaches its thread's root, by the rival's own marks
     * @param missing the other samples by reason
     */
    record Recorded(Counts counts, long complete, Map<String, Long> missing) {
        public Recorded {
            missing = new TreeMap<>(missing);
        }
    }

    /**
     * The duration of a start.
     *
     * @param millis from the command to the named event
     * @param until the event
     */
    record StartUp(double millis, String until) {}

    /**
     * Thrown if a rival could not perform a request. The run continues without the figure and adds a note to the page.
     */
    final class RivalFailed extends Exception {
        private static final long serialVersionUID = 1;

        RivalFailed(String message) {
            super(message);
        }

        RivalFailed(String message, Throwable cause) {
            super(message + ": " + cause, cause);
        }
    }
}
