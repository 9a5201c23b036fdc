package mayfly.attach.client;

import java.util.regex.Pattern;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedRuntime;

/**
 * A choice among the JVMs of a process.
 *
 * @param words the id that {@code mayfly ps} shows, such as {@code r2}, or the version or a prefix of it, such as
 *     {@code 25} or {@code 17.0.15}
 */
public record RuntimeChoice(String words) {
    private static final Pattern WORDS =
            Pattern.compile("r[1-9][0-9]{0,3}|[1-9][0-9]{0,3}([.+_-][0-9A-Za-z.+_-]{0,60})?");

    /** @throws IllegalArgumentException if the words are neither an id nor a version */
    public RuntimeChoice {
        if (!WORDS.matcher(words).matches()) {
            throw new IllegalArgumentException(
                    "'" + words + "' does not denote a runtime: write an id (r1, r2, ...) or a version (25, 17.0.15)");
        }
    }

    /** Creates the choice of a known JVM. */
    public RuntimeChoice(RuntimeId id) {
        this(id.toString());
    }

    boolean isById() {
        return words.startsWith("r");
    }

    /** Returns true if the choice matches a JVM. Versions are compared by whole numbers: 2 does not match 25. */
    boolean fits(ManagedRuntime vm) {
        String version = vm.version();
        return isById()
                ? words.equals(vm.id().toString())
                : version.startsWith(words)
                        && (version.length() == words.length() || !Character.isDigit(version.charAt(words.length())));
    }

    @Override
    public String toString() {
        return words;
    }
}
