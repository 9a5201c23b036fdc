package mayfly.profile;

/**
 * A library or executable that contains frames of a recording.
 *
 * @param name as in {@link Frame.Native#library}
 * @param buildId its build id in hexadecimal, empty if it has none or if it was not read
 */
public record RecordedLibrary(String name, String buildId) {}
