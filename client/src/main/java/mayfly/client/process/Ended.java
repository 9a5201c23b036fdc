package mayfly.client.process;

import java.util.Optional;

/**
 * A child process that has ended.
 *
 * @param how how it ended
 * @param code its exit code, if it ended by itself
 * @param out its standard output
 * @param err the end of its standard error
 * @param untraceable the reason why it could not be permitted to inspect this process; empty if it was permitted, or
 *        if no permission was necessary
 */
public record Ended(How how, int code, byte[] out, String err, Optional<String> untraceable) {
    /** How a child ended. */
    public enum How {
        /** By itself. */
        EXITED,
        /** It was ended when its time limit had passed. */
        TIME_LIMIT,
        /** It was ended because it printed too much. */
        TOO_LARGE
    }

    static final int NO_CODE = -1;

    Ended because(Optional<String> reason) {
        return new Ended(how, code, out, err, reason);
    }
}
