package mayfly.cli.launcher;

import java.util.HashMap;
import java.util.Map;

/**
 * The environment variables that are meant for the user's programs and not for Mayfly's JVM. The launcher gives them
 * other names, which this JVM ignores: {@code MAYFLY_KEPT_JAVA_TOOL_OPTIONS} and others.
 */
public final class KeptVariables {
    private static final String PREFIX = "MAYFLY_KEPT_";

    private KeptVariables() {}

    /** Returns the variables of an environment, under their own names. The map can be changed. */
    public static Map<String, String> of(Map<String, String> environment) {
        var theirs = new HashMap<String, String>();
        environment.forEach((name, value) -> {
            if (name.startsWith(PREFIX)) {
                theirs.put(name.substring(PREFIX.length()), value);
            }
        });
        return theirs;
    }
}
