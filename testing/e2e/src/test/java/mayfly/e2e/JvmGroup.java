package mayfly.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.StringJoiner;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * A process with more JVMs than there are JDKs for it. HotSpot does not support several copies of one libjvm: with
 * compiled code, such a process ends soon, at a fault by which a thread stops at a safepoint, also without a profiler.
 * With interpreted code it sometimes ends in the same way; the test then begins again.
 */
final class JvmGroup {
    private static final int ATTEMPTS = 20;
    private static final String DEFECT = "safepoint polling: pc must refer to an nmethod";

    private JvmGroup() {}

    /** A test of a process with several JVMs. */
    interface Use {
        void of(Jvm jvm) throws Exception;
    }

    /**
     * Starts a process with several JVMs, and runs a test with it. The last JVM runs ThreadAndClassChurn, and each
     * other one runs SecondJvmLoad. Their JDKs, 17 and 25, alternate, and the last is of the latest one. Newer ones are
     * left out: with several copies of JDK 26, the process ended with SIGSEGV after its program had ended.
     *
     * @param count an odd number, from 3
     */
    static void use(int count, Use test) throws Exception {
        for (int attempt = 1; !isDone(count, test, attempt); attempt++) {
            continue;
        }
    }

    /** Returns false if HotSpot has ended the process, which is tolerated some times. */
    private static boolean isDone(int count, Use test, int attempt) throws Exception {
        String evidence = "";
        try (Jvm jvm = start(count)) {
            try {
                test.of(jvm);
                return true;
            } catch (Exception | AssertionError e) {
                evidence = jvm.evidence();
                throw e;
            }
        } catch (Exception | AssertionError e) {
            if (attempt < ATTEMPTS && (evidence + e.getMessage()).contains(DEFECT)) {
                return false;
            }
            throw e;
        }
    }

    private static Jvm start(int count) throws Exception {
        List<Jdk> jdks = Scale.usual();
        assumeTrue(jdks.size() >= 2, "there is only one JDK");
        String early = jdks.getFirst().libjvm().toString();
        String late = jdks.getLast().libjvm().toString();
        StringJoiner between = new StringJoiner(":");
        for (int i = 1; i < count - 1; i++) {
            between.add(i % 2 == 1 ? early : late);
        }
        return JvmPair.plan("ThreadAndClassChurn", "sidebyside", jdks, late, "mayfly.targets.SecondJvmLoad", late)
                .environment("SIDEBYSIDE_MORE", between.toString())
                .start();
    }
}
