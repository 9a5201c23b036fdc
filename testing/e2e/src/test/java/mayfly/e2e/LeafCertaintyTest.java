package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Certainty of leaf methods: leaves are certain with DebugNonSafepoints; without it, leaves of compiled code are marked
 * as inferred.
 */
class LeafCertaintyTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final long SAMPLES = 1_000;

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private static Jvm.Plan shares(Jdk jdk) {
        return Jvm.run("Shares").on(jdk).with("-Xmx128m", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions");
    }

    private static boolean isCompiled(Frame leaf) {
        return leaf instanceof Frame.Managed managed
                && !managed.kind().equals(Frame.Managed.INTERPRETED)
                && !managed.kind().equals(Frame.Managed.NATIVE);
    }

    private static long inferred(Profile profile) {
        long inferred = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            List<Frame> frames = profile.stack(i).frames();
            if (!frames.isEmpty()
                    && frames.getLast() instanceof Frame.Managed managed
                    && managed.certainty() != Frame.Certainty.CERTAIN) {
                assertThat(isCompiled(managed)).as(managed.toString()).isTrue();
                inferred++;
            }
        }
        return inferred;
    }

    private static long compiled(Profile profile) {
        long compiled = 0;
        for (int i = 0; i < profile.sampleCount(); i++) {
            List<Frame> frames = profile.stack(i).frames();
            compiled += !frames.isEmpty() && isCompiled(frames.getLast()) ? 1 : 0;
        }
        return compiled;
    }

    @Test
    void doctorReportsThatLeavesAreInferredAndTheFlagThatMakesThemCertain() throws Exception {
        try (Jvm jvm = shares(Jdk.current()).start()) {
            Command without = CommandLine.run("doctor", Long.toString(jvm.pid()));
            assertThat(without.stdout())
                    .as(without.evidence())
                    .contains(
                            "limited  leaf methods: inlined ones are inferred",
                            "-XX:+DebugNonSafepoints",
                            "mayfly run --exact");
        }
        try (Jvm jvm = shares(Jdk.current()).with("-XX:+DebugNonSafepoints").start()) {
            Command with = CommandLine.run("doctor", Long.toString(jvm.pid()));
            assertThat(with.stdout()).as(with.evidence()).contains("ok       leaf methods: certain");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void compiledLeavesAreInferredWithoutDebugNonSafepoints(Jdk jdk) throws Exception {
        try (Jvm jvm = shares(jdk).start()) {
            Profile profile = InProcessRecording.samples(SAMPLES, jvm, 999);
            assertThat(compiled(profile))
                    .as(InProcessRecording.evidence(profile))
                    .isGreaterThan(SAMPLES / 2);
            assertThat(inferred(profile))
                    .as(InProcessRecording.evidence(profile))
                    .isGreaterThan(compiled(profile) / 2);
            assertThat(profile.ledger().inferredLeaves()).isEqualTo(inferred(profile));
            assertThat(profile.ledger().rows()).extracting(Ledger.Row::name).contains("leaf methods certain");
        }
    }

    /** Callers are at return addresses, which have debug information in every configuration. */
    @ParameterizedTest
    @MethodSource("jdks")
    void callersAreCertainWithoutDebugNonSafepoints(Jdk jdk) throws Exception {
        try (Jvm jvm = shares(jdk).start()) {
            Profile profile = InProcessRecording.samples(SAMPLES, jvm, 999);
            for (int i = 0; i < profile.sampleCount(); i++) {
                List<Frame> frames = profile.stack(i).frames();
                boolean leafBlob = true;
                for (Frame frame : frames.reversed()) {
                    if (!leafBlob && frame instanceof Frame.Managed managed) {
                        assertThat(managed.certainty()).as(frames.toString()).isEqualTo(Frame.Certainty.CERTAIN);
                    }
                    leafBlob &= frame instanceof Frame.Managed managed
                            && managed.kind().equals(Frame.Managed.INLINED);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void leavesAreCertainWithDebugNonSafepoints(Jdk jdk) throws Exception {
        try (Jvm jvm = shares(jdk).with("-XX:+DebugNonSafepoints").start()) {
            Profile profile = InProcessRecording.samples(SAMPLES, jvm, 999);
            assertThat(compiled(profile))
                    .as(InProcessRecording.evidence(profile))
                    .isGreaterThan(SAMPLES / 2);
            assertThat(inferred(profile))
                    .as(InProcessRecording.evidence(profile))
                    .isZero();
            assertThat(profile.ledger().inferredLeaves()).isZero();
        }
    }

    /** Covers the program java, and a script that starts java. */
    @Test
    void runWithExactLeavesMakesLeavesCertain() throws Exception {
        List<String> java = shares(Jdk.current()).command();
        Path script = Files.writeString(folder.resolve("start"), "#!/bin/sh\nexec \"$@\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        assertThat(exact(java)).as("java itself").isZero();
        List<String> scripted = new java.util.ArrayList<>(List.of(script.toString()));
        scripted.addAll(java);
        assertThat(exact(scripted)).as("by a script").isZero();
    }

    /**
     * Returns the number of samples with an inferred leaf. The program ends by itself, because its standard input has
     * ended.
     */
    private long exact(List<String> command) throws Exception {
        Path file = folder.resolve("exact.mayfly");
        List<String> words =
                new java.util.ArrayList<>(List.of("run", "--exact", "-q", "-F", "999", "-o", file.toString(), "--"));
        words.addAll(command);
        Command done = LaunchedMayfly.run(LIMIT, folder, words.toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        Profile profile = CaptureReader.read(file);
        assertThat(compiled(profile)).as(done.evidence()).isPositive();
        return inferred(profile);
    }
}
