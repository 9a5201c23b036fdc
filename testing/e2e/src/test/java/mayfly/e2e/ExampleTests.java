package mayfly.e2e;

import java.io.PrintWriter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * A program that runs the tests of an example, and ends with 0 if there are some and all succeed. {@link Example}
 * compiles it for Java 17 with the tests of the example, and {@link ExamplesTest} runs it.
 */
public final class ExampleTests {
    private static final int FRAMES = 30;

    private ExampleTests() {}

    public static void main(String[] args) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectPackage("com.example"))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true), FRAMES);
        System.out.println(summary.getTestsSucceededCount() + " succeeded");
        boolean isGood = summary.getTestsSucceededCount() > 0
                && summary.getTestsSucceededCount() == summary.getTestsFoundCount();
        System.exit(isGood ? 0 : 1);
    }
}
