package mayfly.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Jdk;
import mayfly.kit.Project;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * With {@code -Dconformance=write}, keeps the result of each test that names requirements. A run of all tests then
 * writes the page. Several JVMs run the tests: all append to one journal, and each JVM reads it when it ends.
 */
public final class Conformance implements TestWatcher, BeforeAllCallback {
    private static final Pattern JDK = Pattern.compile("\\bJDK (\\d+)");
    static final boolean WRITE =
            "write".equals(System.getProperty("conformance")) && System.getProperty("mayfly.run") != null;
    /** The commit at the start of the tests. */
    private static final String COMMIT = Project.commit();
    /** The journal of this Maven run, which sets the property. */
    private static final Path JOURNAL =
            Project.root().resolve("testing/e2e/target/conformance-" + System.getProperty("mayfly.run") + ".tsv");

    private static final Path LOCK = Project.root().resolve("testing/e2e/target/conformance.lock");

    @Override
    public void beforeAll(ExtensionContext context) {
        // JUnit closes this store after the last test.
        context.getRoot()
                .getStore(Namespace.create(Conformance.class))
                .computeIfAbsent("end", key -> (AutoCloseable) Conformance::write, AutoCloseable.class);
    }

    @Override
    public void testSuccessful(ExtensionContext context) {
        add(context, ConformancePage.Result.MET);
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        add(context, ConformancePage.Result.FAILED);
    }

    @Override
    public void testAborted(ExtensionContext context, Throwable cause) {
        add(context, ConformancePage.Result.SKIPPED);
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        add(context, ConformancePage.Result.SKIPPED);
    }

    private static void add(ExtensionContext context, ConformancePage.Result result) {
        Requirement named = context.getRequiredTestMethod().getAnnotation(Requirement.class);
        if (named != null && WRITE) {
            Matcher jdk = JDK.matcher(context.getDisplayName());
            int feature =
                    jdk.find() ? Integer.parseInt(jdk.group(1)) : Jdk.current().feature();
            add(String.join(",", named.value())
                    + '\t'
                    + RequirementAnnotations.name(context.getRequiredTestMethod())
                    + '\t'
                    + feature
                    + '\t'
                    + result
                    + '\n');
        }
    }

    /** Issues one write(2) with O_APPEND for each line, so that lines of several JVMs do not mix. */
    private static void add(String line) {
        try {
            Files.writeString(JOURNAL, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write() throws IOException {
        if (!WRITE || !Files.exists(JOURNAL)) {
            return;
        }
        // The lock is on a file of its own, not on the journal: closing any descriptor of a file releases all of the
        // process's locks on that file.
        try (FileChannel lock = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock ours = lock.lock()) {
            assert ours.isValid();
            var page = new ConformancePage(RequirementAnnotations.read());
            Files.readAllLines(JOURNAL).forEach(page::add);
            if (page.isWhole()) {
                String counts = Scale.DEEP ? "full counts" : "reduced counts";
                Files.writeString(
                        ConformancePage.FILE, page.text(LocalDate.now() + ", commit " + COMMIT + ", " + counts));
            }
        }
    }
}
