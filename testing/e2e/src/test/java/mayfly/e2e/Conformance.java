package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Jdk;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Keeps what came of each test that names requirements. At the end of a deep run of all of them writes
 * docs/conformance.md; {@code -Dconformance=write} does so in any run of all.
 */
public final class Conformance implements TestWatcher, BeforeAllCallback {
    private static final Pattern JDK = Pattern.compile("\\bJDK (\\d+)");
    private static final boolean WRITE = Scale.DEEP || "write".equals(System.getProperty("conformance"));
    private static final ConformancePage PAGE = new ConformancePage();

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
            PAGE.add(named.value(), ConformancePage.name(context.getRequiredTestMethod()), feature, result);
        }
    }

    private static void write() throws IOException {
        Set<String> missing = new TreeSet<>(ConformancePage.named().keySet());
        missing.removeAll(PAGE.tests());
        if (missing.isEmpty() && WRITE) {
            Files.writeString(ConformancePage.FILE, PAGE.text());
        }
    }
}
