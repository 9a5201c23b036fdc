package mayfly.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Paths in the checkout in which the tests run. */
public final class Project {
    private static final Path ROOT = findRoot();

    private Project() {}

    /** Returns the folder that has {@code testing/targets}, or the value of the property {@code mayfly.root}. */
    public static Path root() {
        return ROOT;
    }

    /** Returns the launcher of this checkout. */
    public static Path launcher() {
        return ROOT.resolve("mayfly");
    }

    /** Returns the class path of the target programs. */
    public static String targetClassPath() {
        Path target = ROOT.resolve("testing/targets/target");
        Path classes = target.resolve("classes");
        if (!Files.isDirectory(classes)) {
            throw new IllegalStateException(classes + " is missing: build testing/targets first");
        }
        try (Stream<Path> jars = Files.list(target.resolve("lib"))) {
            return Stream.concat(Stream.of(classes), jars.sorted())
                    .map(Path::toString)
                    .collect(Collectors.joining(":"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a large tree of Java sources that compiles against the JDK alone, for {@code EcjLoad}. */
    public static Path sourceTree() {
        return ROOT.resolve("testing/targets/target/source-tree");
    }

    private static Path findRoot() {
        String named = System.getProperty("mayfly.root");
        if (named != null) {
            return Path.of(named).toAbsolutePath();
        }
        Path start = Path.of("").toAbsolutePath();
        for (Path at = start; at != null; at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("testing/targets/pom.xml"))) {
                return at;
            }
        }
        throw new IllegalStateException("no checkout of Mayfly around " + start);
    }

    /**
     * Returns the first 12 digits of the current commit, with a plus if files differ from it; "unknown" outside a
     * checkout.
     */
    public static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*")
                    .directory(root().toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return git.waitFor() == 0 ? commit : "unknown";
        } catch (IOException e) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
