package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.kit.ThreadPrint;
import mayfly.kit.ThreadPrint.PrintedFrame;
import mayfly.kit.ThreadPrint.PrintedThread;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import mayfly.stack.WalkStatus;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks equal those that the JVM itself prints, frame by frame and line by line. */
class ThreadPrintTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(30));
    private static final int SHOWN = 4;
    /** The JVM prints hidden frames, too, and more than the usual 1,024 frames. */
    private static final String[] PRINT_ALL = {
        "-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames", "-XX:MaxJavaStackTraceDepth=10000"
    };

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    @Requirement("S-20")
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksOfBlockedThreadsEqualThreadPrint(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).with(PRINT_ALL).start()) {
            compare(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void interpretedStacksOfBlockedThreadsEqualThreadPrint(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).with(PRINT_ALL).with("-Xint").start()) {
            compare(jvm);
        }
    }

    @Requirement({"S-20", "S-07"})
    @ParameterizedTest
    @MethodSource("jdks")
    void stacksTakenTogetherEqualThreadPrint(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).with(PRINT_ALL).start()) {
            compare(jvm, new ThreadDump.Options("", true, false, true));
        }
    }

    private static void compare(Jvm jvm) throws Exception {
        compare(jvm, ThreadDump.Options.ALL);
    }

    private static void compare(Jvm jvm, ThreadDump.Options options) throws Exception {
        Map<Integer, DumpedThread> walked = walked(jvm, options);
        List<PrintedThread> printed = ThreadPrint.of(jvm).startingWith("kind-");
        List<String> differences = new ArrayList<>();
        for (PrintedThread thread : printed) {
            DumpedThread walk = walked.get(thread.tid());
            if (walk == null) {
                differences.add(thread.name() + ": not walked");
                continue;
            }
            List<String> ours = javaFrames(walk);
            if (walk.result().outcome() != WalkOutcome.COMPLETE || !ours.equals(thread.lines())) {
                differences.add(difference(thread, walk, ours));
            }
        }
        System.out.printf(
                "%s: %d threads, %d frames%n",
                jvm.jdk(),
                printed.size(),
                printed.stream().mapToInt(thread -> thread.frames().size()).sum());
        assertThat(printed.size()).isGreaterThanOrEqualTo(60);
        assertThat(String.join("\n", differences)).as(jvm.evidence()).isEmpty();
    }

    /**
     * Walks all threads, again if necessary: on a busy machine a stop can reach its limit before a stack is copied, and
     * that stack is then unproven.
     */
    private static Map<Integer, DumpedThread> walked(Jvm jvm, ThreadDump.Options options) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try (ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
            while (true) {
                List<DumpedThread> threads =
                        dumper.dump(options, (done, total) -> {}).threads();
                if (threads.stream().noneMatch(ThreadPrintTest::hasReachedTheLimit)
                        || System.nanoTime() - deadline > 0) {
                    return threads.stream().collect(Collectors.toMap(DumpedThread::tid, thread -> thread));
                }
            }
        }
    }

    private static boolean hasReachedTheLimit(DumpedThread thread) {
        return thread.kernelName().startsWith("kind-")
                && (thread.result().outcome() == WalkOutcome.UNPROVEN
                        || thread.result().status() == WalkStatus.STACK_SNAPSHOT_UNSAFE);
    }

    /** Returns the first difference of two stacks, and the rest of the walk. */
    private static String difference(PrintedThread printed, DumpedThread walk, List<String> ours) {
        int same = 0;
        while (same < Math.min(ours.size(), printed.lines().size())
                && ours.get(same).equals(printed.lines().get(same))) {
            same++;
        }
        List<DumpedThread.Entry> frames = walk.stack();
        return ("%s: %s, %d frames printed, %d walked, the first %d equal\n"
                        + "  printed then %s\n  walked then  %s\n  ends with %s")
                .formatted(
                        printed.name(),
                        walk.result().outcome(),
                        printed.lines().size(),
                        ours.size(),
                        same,
                        some(printed.lines(), same),
                        some(ours, same),
                        some(frames, frames.size() - SHOWN));
    }

    private static List<?> some(List<?> list, int from) {
        return list.subList(Math.max(0, from), Math.min(list.size(), Math.max(0, from) + SHOWN));
    }

    /** Returns the Java frames of a walk in the words of Thread.print. */
    private static List<String> javaFrames(DumpedThread walk) {
        List<String> lines = new ArrayList<>();
        for (DumpedThread.Entry entry : walk.stack()) {
            if (entry.frame() instanceof Frame.Managed managed) {
                int line = managed.kind().equals(Frame.Managed.NATIVE) ? PrintedFrame.NATIVE_METHOD : managed.line();
                lines.add(new PrintedFrame(managed.type(), managed.method(), line).toString());
            }
        }
        return lines;
    }
}
