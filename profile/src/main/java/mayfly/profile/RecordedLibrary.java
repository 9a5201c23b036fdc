package mayfly.profile;

/**
 * A library or executable that frames of a recording are in.
 *
 * @param name as in {@link Frame.Native#library}
 * @param buildId its build id in hexadecimal, empty if it has none or that was not read
 */
public record RecordedLibrary(String name, String buildId) {}
