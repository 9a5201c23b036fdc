package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.audit.Audit;
import mayfly.audit.AuditKind;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.linux.LiveProcess;
import mayfly.linux.perf.Probe;
import mayfly.linux.proc.PageMap;
import mayfly.process.Mapping;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Recordings of allocation by breakpoints in the JVM, compared with the count of the program that allocates. */
class ProbedAllocationTest {
    private static final String TARGET = "mayfly.targets.Allocations.";
    private static final String SMALL = "[new mayfly.targets.Allocations$Small]";
    private static final String ARRAYS = "[new byte[]]";
    private static final int ROUNDS = Scale.count(20, 200);
    private static final int PERCENT = 5;
    /** The share of all bytes that can be of another class or site: a buffer is used after its refill. */
    private static final double OF_OTHERS = 0.05;

    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final String[] OPTIONS = {
        "-Xmx64m",
        "-XX:+UseSerialGC",
        "-XX:CompileCommand=quiet",
        "-XX:CompileCommand=dontinline,mayfly.targets.Allocations::*"
    };

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private static void assumeUprobes() {
        Probe permitted = Probe.uprobes();
        Assumptions.assumeTrue(permitted.works(), "uprobes are not permitted: " + permitted.errno());
    }

    private static Map<String, Long> byFrame(Profile profile) {
        Map<String, Long> bytes = new TreeMap<>();
        for (int i = 0; i < profile.sampleCount(); i++) {
            long value = profile.valueOf(i);
            bytes.merge("", value, Long::sum);
            profile.stack(i).frames().stream()
                    .map(Frame::label)
                    .distinct()
                    .filter(label -> label.startsWith(TARGET) || label.startsWith("[new "))
                    .forEach(label -> bytes.merge(label, value, Long::sum));
        }
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void bytesAreThoseOfTheProgramInTotalByClassAndBySite(Jdk jdk) throws Exception {
        assumeUprobes();
        Path file = folder.resolve("allocation.mayfly");
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with(OPTIONS).start()) {
            jvm.ask("alternate 5 40"); // the methods are compiled from now on
            String answer = EventRecording.during(jvm, "alternate " + ROUNDS + " 40", List.of(), file, "alloc-class");
            Profile profile = CaptureReader.read(file);
            Map<String, Long> bytes = byFrame(profile);
            String evidence = InProcessRecording.evidence(profile) + answer + " " + bytes;
            double small = Long.parseLong(answer.split(" ")[0]);
            double arrays = Long.parseLong(answer.split(" ")[1]);
            assertThat((double) bytes.get("")).as(evidence).isCloseTo(small + arrays, withinPercentage(PERCENT));
            Map<String, Double> expected = Map.of(
                    SMALL, small, TARGET + "allocateSmall", small, ARRAYS, arrays, TARGET + "allocateBig", arrays);
            expected.forEach((frame, its) -> assertThat((double) bytes.getOrDefault(frame, 0L))
                    .as("%s: %s", frame, evidence)
                    .isCloseTo(its, within(OF_OTHERS * (small + arrays))));
            assertThat(Audit.of(Math.toIntExact(jvm.pid()))
                            .section(AuditKind.CODE_PAGES)
                            .items())
                    .as(evidence)
                    .hasSize(copiesLeft(profile));
        }
    }

    /** Returns the number of pages that the kernel has not dropped, by the ledger; other kernels than 6.18 may not. */
    private static int copiesLeft(Profile profile) {
        String words = "pages of the JVM's code of which the process still has a copy: ";
        return profile.ledger().notes().stream()
                .filter(note -> note.startsWith(words))
                .mapToInt(note -> Integer.parseInt(note.substring(words.length())))
                .sum();
    }

    /** An event that a thread inherits would prevent it from being created. */
    @ParameterizedTest
    @MethodSource("jdks")
    void programCreatesThreadsWhileItIsRecordedAndEachIsSampled(Jdk jdk) throws Exception {
        assumeUprobes();
        Path file = folder.resolve("allocation.mayfly");
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with(OPTIONS).start()) {
            String answer = EventRecording.during(jvm, "allocate big 400", List.of(), file, "alloc-class");
            Profile profile = CaptureReader.read(file);
            String evidence = InProcessRecording.evidence(profile) + jvm.evidence();
            assertThat(Long.parseLong(answer)).as(evidence).isGreaterThanOrEqualTo(400 << 20);
            assertThat(byFrame(profile).get(ARRAYS)).as(evidence).isGreaterThan(360 << 20);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void auditNamesThePagesWithBreakpointsAndAKilledMayflyLeavesNone(Jdk jdk) throws Exception {
        assumeUprobes();
        try (Jvm jvm = Jvm.run("Allocations").on(jdk).with(OPTIONS).start();
                LaunchedMayfly mayfly = LaunchedMayfly.start(
                        "record",
                        "-d",
                        "10m",
                        "-o",
                        folder.resolve("killed.mayfly").toString(),
                        "-e",
                        "alloc-class",
                        Long.toString(jvm.pid()))) {
            mayfly.awaitStderr("sampling process", LIMIT);
            int pid = Math.toIntExact(jvm.pid());
            assertThat(Audit.of(pid).section(AuditKind.CODE_PAGES).items().keySet())
                    .as(mayfly.stderr())
                    .isNotEmpty()
                    .allMatch(item -> item.contains("libjvm.so at 0x"));
            jvm.ask("allocate small 64");
            Command.run(LIMIT, "kill", "-KILL", Long.toString(mayfly.process().pid()));
            assertThat(mayfly.process().waitFor(LIMIT)).isTrue();
            assertThat(jvm.ask("allocate small 64")).as(jvm.evidence()).isNotEmpty();
            assertThat(changedPages(pid))
                    .as("pages whose code differs from the file")
                    .isEmpty();
        }
    }

    /** Returns the addresses of copied pages of code whose bytes are not those of the file. */
    private static List<String> changedPages(int pid) throws Exception {
        List<String> changed = new ArrayList<>();
        try (LiveProcess process = LiveProcess.open(pid)) {
            for (Mapping mapping : process.mappings()) {
                if (mapping.executable() && !mapping.writable() && mapping.isFile()) {
                    MemorySegment file = process.file(mapping);
                    List<Long> copies = new ArrayList<>();
                    PageMap.forEachCopy(process.proc(), mapping, copies::add);
                    for (long page : copies) {
                        byte[] now = new byte[4096];
                        process.memory().read(page, now, 0, now.length);
                        long at = mapping.inFile(page);
                        byte[] original = file.asSlice(at, now.length).toArray(ValueLayout.JAVA_BYTE);
                        if (!Arrays.equals(now, original)) {
                            changed.add(mapping.path() + " at 0x" + Long.toHexString(at));
                        }
                    }
                }
            }
        }
        return changed;
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void ordinaryUserAndAProgramThatMayflyStartsAreRefusedWithAdvice(Jdk jdk) throws Exception {
        List<String> asNobody = Privileges.asNobody();
        Privileges.giveToNobody(folder);
        String file = folder.resolve("allocation.mayfly").toString();
        try (Jvm jvm = Jvm.run("Allocations")
                        .on(jdk)
                        .under(asNobody.toArray(String[]::new))
                        .with(OPTIONS)
                        .start();
                LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                        asNobody, "record", "-e", "alloc-class", "-o", file, Long.toString(jvm.pid()))) {
            assertThat(mayfly.process().waitFor(LIMIT)).isTrue();
            assertThat(mayfly.process().exitValue()).as(mayfly.stderr()).isNotZero();
            assertThat(mayfly.stderr())
                    .contains(
                            "breakpoints by perf events and BPF are not permitted to this user",
                            "mayfly record -e alloc");
        }
        Command run = CommandLine.run("run", "-e", "alloc-class", "-o", file, "--", "true");
        assertThat(run.exitCode()).as(run.evidence()).isNotZero();
        assertThat(run.stderr()).contains("the JVM does not run yet", "mayfly run can record alloc");
    }
}
