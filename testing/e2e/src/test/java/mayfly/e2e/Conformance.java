package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Files;
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

/** Keeps the result of each test that names requirements. With {@code -Dconformance=write} a run of all writes the page. */
public final class Conformance implements TestWatcher, BeforeAllCallback {
    private static final Pattern JDK = Pattern.compile("\\bJDK (\\d+)");
    static final boolean WRITE = "write".equals(System.getProperty("conformance"));
    /** As it was when the tests began. */
    private static final String COMMIT = Project.commit();
    private static final ConformancePage PAGE = new ConformancePage(Shown.read());

    @Override
    public void beforeAll(ExtensionContext context) {
        // Closed when the last test has ended.
        context.getRoot().getStore(Namespace.create(Conformance.class))
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
        if (named != null) {
            Matcher jdk = JDK.matcher(context.getDisplayName());
            int feature = jdk.find() ? Integer.parseInt(jdk.group(1)) : Jdk.current().feature();
            PAGE.add(named.value(), Shown.name(context.getRequiredTestMethod()), feature, result);
        }
    }

    private static void write() throws IOException {
        if (WRITE && PAGE.isWhole()) {
            String counts = Scale.DEEP ? "full counts" : "counts of every build";
            Files.writeString(ConformancePage.FILE, PAGE.text(LocalDate.now() + ", commit " + COMMIT + ", " + counts));
        }
    }
}
