package mayfly.cli.launcher;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The installation that this JVM was started from: a checkout, or an unpacked archive. An archive has its own glibc and
 * must not depend on programs of the host, which may have no shell or another C library.
 *
 * @param javaHome the home of the Java runtime
 * @param archive the folder of the archive; null in a checkout
 */
public record Installation(Path javaHome, @Nullable Path archive) {
    /** Set by the launcher of an archive, see command.c. */
    private static final String ARCHIVE = "mayfly.archive";

    private static final Installation CURRENT = of(System.getProperty("java.home"), System.getProperty(ARCHIVE));

    private static Installation of(String javaHome, @Nullable String archive) {
        return new Installation(Path.of(javaHome), archive == null ? null : Path.of(archive));
    }

    /** Returns the installation that runs this code. */
    public static Installation current() {
        return CURRENT;
    }

    /**
     * Returns the command that starts another JVM on the same runtime. The options of {@code java} follow. In an
     * archive, its dynamic loader starts {@code java}, see ld.so(8).
     */
    public List<String> java() {
        String java = javaHome.resolve("bin/java").toString();
        Path from = archive;
        if (from == null) {
            return List.of(java);
        }
        Path glibc = from.resolve("runtime/glibc");
        return List.of(
                glibc.resolve("ld-linux-x86-64.so.2").toString(),
                "--inhibit-cache",
                "--library-path",
                glibc.toString(),
                java);
    }

    /**
     * Returns the command of the gate, which waits for a line and then becomes another command, see
     * {@code mayfly.linux.trace.Spawn}; empty in a checkout, which uses a shell.
     */
    public List<String> gate() {
        Path from = archive;
        return from == null ? List.of() : List.of(from.resolve("app/gate").toString());
    }
}
