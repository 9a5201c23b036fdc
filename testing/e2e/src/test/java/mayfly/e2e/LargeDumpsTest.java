package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import org.junit.jupiter.api.Test;

/** {@code mayfly stack} on a very deep stack, and on very many threads. */
class LargeDumpsTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(90));

    private static String printed(Jvm jvm, String... arguments) {
        Command done =
                CommandLine.run(Stream.of(Stream.of("stack"), Stream.of(arguments), Stream.of(Long.toString(jvm.pid())))
                        .flatMap(words -> words)
                        .toArray(String[]::new));
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    /** Returns a dump in which each thread was stopped: on a busy machine a thread may not get a CPU in time. */
    private static String printedWhole(Jvm jvm, String... arguments) {
        Deadline deadline = Deadline.in(LIMIT);
        String dump = printed(jvm, arguments);
        while (dump.contains("it did not stop in time")) {
            deadline.check(dump);
            dump = printed(jvm, arguments);
        }
        return dump;
    }

    @Test
    void stackOfAHundredMegabytesIsPrinted() throws Exception {
        try (Jvm jvm = Jvm.run("DeepStack").args("100").start()) {
            String dump = printedWhole(jvm, "-t", "deep");
            List<String> lines = StackTest.thread(dump, "deep");
            assertThat(lines)
                    .filteredOn(line -> line.startsWith("\tat mayfly.targets.DeepStack.dive("))
                    .hasSizeGreaterThan(8_000);
            assertThat(lines)
                    .filteredOn(line -> line.matches("\t\\.\\.\\. [\\d,]+ frames omitted"))
                    .hasSize(1);
            assertThat(lines.getLast().equals("\t[truncated]")
                            || String.join("\n", lines).contains("\tat java.lang.Thread.run(Thread.java:"))
                    .as("the root, or the mark [truncated]")
                    .isTrue();
        }
    }

    @Test
    void stacksOfTwentyThousandThreadsArePrinted() throws Exception {
        int count = Scale.count(2_000, 20_000);
        try (Jvm jvm = Jvm.run("ManyThreads")
                .args(Integer.toString(count), "5")
                .with("-Xss256k", "-XX:+UseSerialGC")
                .start()) {
            for (String how : List.of("--holes", "--together")) {
                String dump = printed(jvm, how);
                assertThat(Pattern.compile("(?m)^\"many-")
                                .matcher(dump)
                                .results()
                                .count())
                        .isEqualTo(count);
                StackTest.assertNoThreadIsHeld(jvm);
            }
            assertThat(jvm.ask("cpu?")).matches("\\d+");
        }
    }
}
