package mayfly.profilers.testing;

import mayfly.api.ProfilerException;

/** The outcome of a call into the runtime, as the answer to a command. */
final class Outcome {
    private Outcome() {}

    /** Returns {@code OK}, or the status of the failure. */
    static String outcome(Runnable call) {
        try {
            call.run();
            return "OK";
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }
}
