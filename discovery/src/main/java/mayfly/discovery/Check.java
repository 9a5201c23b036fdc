package mayfly.discovery;

/**
 * The result of one check of a precondition for recording.
 *
 * @param name the subject of the check, such as {@code perf_event_paranoid}
 * @param level the severity of the finding
 * @param finding the result as text, with the value or the error that was found
 * @param fix the remedy, possibly of several lines; empty if none is needed
 */
public record Check(String name, Level level, String finding, String fix) {

    /** The severity of a finding. */
    public enum Level {
        /** No restriction. */
        OK,
        /** Recording works, with restrictions. */
        LIMITED,
        /** Recording is not possible. */
        FAILED
    }
}
