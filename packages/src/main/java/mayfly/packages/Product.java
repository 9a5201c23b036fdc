package mayfly.packages;

import java.net.URI;
import java.util.Locale;

/**
 * The facts about Mayfly that every package states.
 *
 * @param version the version of the build, such as {@code 0.1.0} or {@code 0.1.0-SNAPSHOT}
 * @param site the address of the project
 */
record Product(String version, String site) {
    static final String NAME = "mayfly";
    /** The place of the archive's files in every package. */
    static final String HOME = "usr/lib/mayfly";

    static final String SUMMARY = "profiler that shows what a running JVM is doing";
    static final String DESCRIPTION = """
        Mayfly samples a HotSpot JVM from outside, walks the stacks of its Java, VM,
        native and kernel code, and writes flame graphs and other formats. It can also
        load a profiler into a running JVM and unload it again. It needs no Java
        installation.\
        """;
    static final String MAINTAINER = "Mayfly maintainers";
    static final String LICENSES =
            "Apache-2.0 AND GPL-2.0-only WITH Classpath-exception-2.0 AND LGPL-2.1-or-later AND 0BSD"
                    + " AND BSD-3-Clause";

    /** The version for dpkg and rpm. A snapshot precedes its release: both order a tilde before the end of a text. */
    String packageVersion() {
        int dash = version.indexOf('-');
        return dash < 0
                ? version
                : version.substring(0, dash) + "~"
                        + version.substring(dash + 1).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]", ".");
    }

    String maintainer() {
        String host = URI.create(site).getHost();
        return MAINTAINER + " <maintainers@" + host + ">";
    }
}
