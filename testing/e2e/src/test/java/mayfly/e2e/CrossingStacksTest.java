package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.Collector;
import mayfly.report.Conversion;
import mayfly.report.Format;
import mayfly.report.tree.ConversionOptions;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread whose stack has methods of two JVMs in turn: each calls the other by a native method. */
class CrossingStacksTest {
    private static final String TYPE = "mayfly.targets.CrossingStacks";
    private static final Duration LIMIT = Duration.ofSeconds(20);
    /** The methods of the program and their runtimes, outermost first. */
    private static final List<String> CALLS = List.of("r1 first", "r2 second", "r1 first", "r2 second");

    /** The same methods in collapsed output. */
    private static final List<String> SUFFIXED =
            List.of(TYPE + ".first_[r1]", TYPE + ".second_[r2]", TYPE + ".first_[r1]", TYPE + ".second_[r2]");

    private static final Pattern FRAME = Pattern.compile(
            "\"runtime\":\"(r\\d)\",\"class\":\"" + Pattern.quote(TYPE) + "\",\"method\":\"(first|second)\"");

    /** Returns the JDK of the JVM that starts second. */
    static List<Jdk> seconds(TestInfo test) {
        return Scale.jdks(test);
    }

    private static Jvm start(Jdk second) throws IOException {
        Jdk first = JvmPair.first(second);
        return JvmPair.plan(
                        "CrossingStacks",
                        "crossing",
                        List.of(first, second),
                        first.libjvm().toString(),
                        second.libjvm().toString())
                .start();
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("X-08")
    void dumpHasTheRuntimeOfEachMethodOfACrossingStack(Jdk second) throws Exception {
        try (Jvm jvm = start(second)) {
            String pid = Long.toString(jvm.pid());
            for (String how : List.of("--holes", "--together")) {
                Command stack = blocked("stack", how, "--json", "-t", pid, pid);
                assertThat(stack.exitCode()).as(stack.evidence()).isZero();
                assertThat(stack.stdout()).contains("\"outcome\":\"complete\"");
                List<String> calls = FRAME.matcher(stack.stdout())
                        .results()
                        .map(frame -> frame.group(1) + " " + frame.group(2))
                        .toList();
                assertThat(calls.reversed()).as(stack.evidence()).isEqualTo(CALLS);
            }
            for (String runtime : List.of("r1", "r2")) {
                Command stack = CommandLine.run("stack", "--runtime", runtime, "-t", pid, pid);
                assertThat(stack.stdout())
                        .as("the thread belongs to both: %s", stack.evidence())
                        .contains(" " + runtime + " tid=" + pid + " ", "at mayfly.targets.CrossingStacks.first(");
            }
        }
    }

    /** Runs a command until the thread is blocked: the target is ready some system calls before it reads a line. */
    private static Command blocked(String... words) {
        Deadline deadline = Deadline.in(LIMIT);
        Command stack = CommandLine.run(words);
        while (stack.stdout().contains("\"status\":\"stack_snapshot_unsafe\"")) {
            deadline.check(stack.stdout());
            stack = CommandLine.run(words);
        }
        return stack;
    }

    @ParameterizedTest
    @MethodSource("seconds")
    @Requirement("X-08")
    void samplesHaveTheRuntimeOfEachMethodOfACrossingStack(Jdk second) throws Exception {
        try (Jvm jvm = start(second)) {
            CompletableFuture<String> computing = CompletableFuture.supplyAsync(() -> jvm.ask("60000"));
            Profile profile = InProcessRecording.of(jvm, 499, Duration.ofSeconds(2), Collector.AUTO);
            assertThat(computing).isNotDone();
            long computed = 0;
            long complete = 0;
            for (int i = 0; i < profile.sampleCount(); i++) {
                List<Frame> frames = profile.stack(i).frames();
                boolean isComplete = profile.outcomeOf(i) == WalkOutcome.COMPLETE;
                if (isComplete
                        && frames.stream().anyMatch(frame -> frame.label().equals(TYPE + ".answer"))) {
                    assertThat(calls(frames)).isEqualTo(CALLS);
                    computed++;
                }
                complete += isComplete ? 1 : 0;
            }
            assertThat(computed).isGreaterThan(profile.sampleCount() / 2);
            Counts.assertAtLeast(InProcessRecording.evidence(profile), complete, profile.sampleCount(), 0.99);
            Counts counts = collapsed(profile);
            assertThat(counts.of(CrossingStacksTest::hasTheSuffixOfEachCall))
                    .as(counts.top(5))
                    .isGreaterThan(counts.total() / 2);
        }
    }

    private static Counts collapsed(Profile profile) throws IOException {
        var out = new ByteArrayOutputStream();
        Conversion.write(profile, Format.COLLAPSED, ConversionOptions.DEFAULT, out);
        return Counts.parse(out.toString(StandardCharsets.UTF_8));
    }

    private static boolean hasTheSuffixOfEachCall(List<String> labels) {
        return labels.stream()
                .filter(label -> label.startsWith(TYPE + ".first") || label.startsWith(TYPE + ".second"))
                .toList()
                .equals(SUFFIXED);
    }

    private static List<String> calls(List<Frame> frames) {
        return frames.stream()
                .filter(Frame.Managed.class::isInstance)
                .map(Frame.Managed.class::cast)
                .filter(frame ->
                        frame.type().equals(TYPE) && List.of("first", "second").contains(frame.method()))
                .map(frame -> frame.runtime() + " " + frame.method())
                .toList();
    }
}
