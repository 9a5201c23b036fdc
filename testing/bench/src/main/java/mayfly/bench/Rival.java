package mayfly.bench;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** A profiler to be measured. */
interface Rival {
    /** Its name with version and mode, as tables show it. */
    String name();

    /** Whether it can profile JVMs of this JDK here. */
    boolean supports(Jdk jdk);

    /** What it calls a complete stack, in a sentence. */
    String completeMeans();

    /** Profiles a target for a while and says what it saw. */
    Recorded record(Jvm jvm, int hz, Duration duration) throws RivalFailed;

    /** Makes ready to be turned on and off many times. */
    Toggle toggle(Jvm jvm, int hz) throws RivalFailed;

    /** The command that makes it sample a target, run to its end, when it is started by one. */
    StartUp startUp(Jvm jvm, int hz) throws RivalFailed;

    /** A profiler that can be turned on and off. */
    interface Toggle extends AutoCloseable {
        /** Returns when it samples. */
        void on() throws RivalFailed;

        /** Returns when it does not sample any more. */
        void off() throws RivalFailed;

        /** Samples taken in all so far. Called once, after the last {@link #off}. */
        long samples() throws RivalFailed;

        /** How long it has sampled in all so far, ns. */
        long onNanos();

        @Override
        void close();
    }

    /**
     * What a recording showed.
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
     * How long it took to start.
     *
     * @param millis from the command to the event named
     * @param until which event that is
     */
    record StartUp(double millis, String until) {
    }

    /** A rival could not do what was asked. The run goes on without the figure and says so. */
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
