package mayfly.host.probe;

import java.util.Set;

/**
 * The packages whose methods get no probe: a probe calls them, or the host calls them before it recognises a call of
 * its own. A probe in them would call itself.
 */
public final class ReservedPackages {
    private static final Set<String> PACKAGES = Set.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.ref",
            "java.time.zone",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks",
            "java.util.function");

    /** With all packages below them. */
    private static final String[] TREES = {"jdk.internal.", "sun.", "mayfly.api.", "mayfly.host."};

    private ReservedPackages() {}

    /**
     * Returns true if the methods of a class get no probe.
     *
     * @param className the binary name, as in {@code java.util.Map$Entry}
     */
    public static boolean contains(String className) {
        for (String tree : TREES) {
            if (className.startsWith(tree)) {
                return true;
            }
        }
        int end = className.lastIndexOf('.');
        return end > 0 && PACKAGES.contains(className.substring(0, end));
    }
}
