package mayfly.discovery;

/**
 * One thing that matters for recording, looked at.
 *
 * @param name what was looked at, such as {@code perf_event_paranoid}
 * @param level how good it is
 * @param finding what was found, with the value
 * @param fix what to do about it, may be of several lines; empty if there is nothing to do
 */
public record Check(String name, Level level, String finding, String fix) {

    /** How good a finding is. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Works, with less than there could be. */
        LIMITED,
        /** Recording is not possible with this. */
        FAILED
    }
}
