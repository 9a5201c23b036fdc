package mayfly.profile;

/**
 * A managed runtime of a recorded process. Texts are from the target: untrusted.
 *
 * @param id its id in the process
 * @param kind its product, such as {@code HotSpot}
 * @param name distinguishes it from others of its kind, such as {@code at 0x7f5d40000000}; may be empty
 * @param version its own version string, such as {@code 25.0.3+9-LTS}
 */
public record RecordedRuntime(RuntimeId id, String kind, String name, String version) {

    /** Returns id, kind, version and name in one line, such as {@code r1 HotSpot 25.0.3+9-LTS at 0x7f5d40000000}. */
    public String line() {
        return id + " " + kind + " " + version + (name.isEmpty() ? "" : " " + name);
    }
}
