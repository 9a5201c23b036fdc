package mayfly.e2e;

import static mayfly.e2e.SeenFrames.leafOf;
import static mayfly.e2e.SeenFrames.walk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import mayfly.arch.x86.X86_64;
import mayfly.discovery.Refused;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Partly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import mayfly.kit.ThreadPrint;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.stack.FrameCallback.Action;
import mayfly.stack.FrameReport;
import mayfly.stack.ThreadWalk;
import mayfly.stack.ThreadWalks;
import mayfly.stack.WalkRequest;
import mayfly.stack.WalkStatus;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The guarantees of the walk API, on real JVMs. */
class ThreadWalksTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    private static int tidOf(ThreadWalks walks, String kernelName) throws Refused {
        return walks.threads().stream()
                .filter(thread -> thread.name().equals(kernelName))
                .mapToInt(TargetThread::tid)
                .findFirst()
                .orElseThrow();
    }

    @Requirement({"S-01", "S-07"})
    @Partly("S-01: the walk inside ends at 1,024 frames if the heap has no room for more")
    @ParameterizedTest
    @MethodSource("jdks")
    void walkReportsOneThreadLeafFirstAndPassesTheCallersData(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            ThreadPrint.PrintedThread printed = ThreadPrint.of(jvm).named("kind-park");
            SeenFrames seen = new SeenFrames();
            List<SeenFrames> passed = new ArrayList<>();
            ThreadWalk result = walks.walk(
                    WalkRequest.of(printed.tid()),
                    (report, data) -> {
                        passed.add(data);
                        return data.take(report);
                    },
                    seen);
            assertThat(result.status()).isEqualTo(WalkStatus.DONE);
            assertThat(result.outcome()).isEqualTo(WalkOutcome.COMPLETE);
            assertThat(result.stopNanos()).isPositive();
            assertThat(passed).isNotEmpty().allMatch(data -> data == seen);
            assertThat(seen.methods())
                    .isEqualTo(printed.frames().stream()
                            .map(ThreadPrint.PrintedFrame::name)
                            .toList());
            assertThat(seen.frames.getFirst()).isInstanceOf(Frame.Native.class);
            assertThat(seen.frames.getLast()).isInstanceOf(Frame.Native.class);
            assertThat(walks.threads()).as("no thread is stopped").noneMatch(t -> t.state() == 't' || t.state() == 'T');
        }
    }

    @Requirement({"S-02", "S-14"})
    @ParameterizedTest
    @MethodSource("jdks")
    void nativeFramesAreReportedEachOrAsOneHole(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "kind-park");
            SeenFrames filled = new SeenFrames();
            SeenFrames holes = new SeenFrames();
            walk(walks, WalkRequest.of(tid), filled);
            walk(walks, WalkRequest.of(tid).withHoles(), holes);
            assertThat(filled.holes).isEmpty();
            assertThat(holes.frames).allMatch(Frame.Managed.class::isInstance);
            assertThat(holes.methods()).isEqualTo(filled.methods());
            assertThat(holes.holes)
                    .as("below the leaf method, and above the root")
                    .hasSize(2);
            long stubsBetweenMethods =
                    filled.frames.stream().filter(Frame.Stub.class::isInstance).count();
            assertThat((long) holes.holes.stream().mapToInt(i -> i).sum())
                    .isBetween(
                            filled.frames.size() - filled.methods().size() - stubsBetweenMethods,
                            (long) filled.frames.size() - filled.methods().size());
        }
    }

    @Requirement({"S-03", "S-05"})
    @ParameterizedTest
    @MethodSource("jdks")
    void registersAreValidDuringTheReportAndFramesAfterwards(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            SeenFrames seen = new SeenFrames();
            List<FrameReport> kept = new ArrayList<>();
            ThreadWalk result = walks.walk(
                    WalkRequest.of(tidOf(walks, "kind-park")),
                    (report, data) -> {
                        kept.add(report);
                        return data.takeWithRegisters(report);
                    },
                    seen);
            assertThat(result.status()).isEqualTo(WalkStatus.DONE);
            assertThat(seen.stackPointers)
                    .as("towards the root the stack pointer rises")
                    .isSorted();
            assertThat(seen.stackPointers.getLast()).isGreaterThan(seen.stackPointers.getFirst());
            FrameReport stale = kept.getFirst();
            assertThatThrownBy(stale::registers).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(stale::frame).isInstanceOf(IllegalStateException.class);
            assertThat(seen.methods()).as("requested later").contains("java.lang.Thread.run");
        }
    }

    @Requirement("S-04")
    @ParameterizedTest
    @MethodSource("jdks")
    void theCallbackCanStopTheWalk(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "kind-park");
            SeenFrames all = new SeenFrames();
            walk(walks, WalkRequest.of(tid), all);
            for (int wanted = 1; wanted <= all.frames.size(); wanted++) {
                int enough = wanted;
                SeenFrames seen = new SeenFrames();
                ThreadWalk result = walks.walk(
                        WalkRequest.of(tid),
                        (report, data) -> {
                            data.take(report);
                            return data.frames.size() == enough ? Action.ABORT : Action.CONTINUE;
                        },
                        seen);
                assertThat(result.status()).isEqualTo(WalkStatus.STACK_SNAPSHOT_ABORTED);
                assertThat(seen.frames).hasSize(enough);
                assertThat(seen.first(enough)).isEqualTo(all.first(enough));
            }
        }
    }

    @Requirement("S-08")
    @ParameterizedTest
    @MethodSource("jdks")
    void nestedWalkIsRefusedAndTheOuterOneContinues(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "kind-park");
            SeenFrames seen = new SeenFrames();
            ThreadWalk result = walks.walk(
                    WalkRequest.of(tid),
                    (report, data) -> {
                        assertThatThrownBy(() -> walk(walks, WalkRequest.of(tid), new SeenFrames()))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("nest");
                        return data.take(report);
                    },
                    seen);
            assertThat(result.outcome()).isEqualTo(WalkOutcome.COMPLETE);
            assertThat(seen.methods()).contains("java.lang.Thread.run");
        }
    }

    /** The exception of a callback reaches the caller, and the session remains usable. */
    @Requirement("S-07")
    @ParameterizedTest
    @MethodSource("jdks")
    void callbackThatThrowsLeavesTheSessionUsable(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "kind-park");
            assertThatThrownBy(() -> walks.walk(
                            WalkRequest.of(tid),
                            (report, data) -> {
                                throw new UnsupportedOperationException("by the caller");
                            },
                            "data"))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(walks.threads()).noneMatch(thread -> thread.state() == 't');
            assertThat(walk(walks, WalkRequest.of(tid), new SeenFrames()).status())
                    .isEqualTo(WalkStatus.DONE);
            assertThat(jvm.ask("well?")).isNotEmpty();
        }
    }

    @Requirement({"S-15", "S-16"})
    @ParameterizedTest
    @MethodSource("jdks")
    void threadWithoutManagedFramesIsWalkedSuccessfully(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            // A Java thread that never runs Java code, a thread that the VM does not count among its Java threads, and
            // the first thread of the launcher, which the JVM does not know.
            Map<String, Integer> threads = Map.of(
                    "Service Thread",
                    tidOf(walks, "Service Thread"),
                    "VM Thread",
                    tidOf(walks, "VM Thread"),
                    "the first thread",
                    (int) jvm.pid());
            for (String name : threads.keySet()) {
                SeenFrames seen = new SeenFrames();
                ThreadWalk result = walk(walks, WalkRequest.of(threads.get(name)), seen);
                assertThat(result.status()).as(name).isEqualTo(WalkStatus.DONE);
                assertThat(result.outcome()).as(name).isEqualTo(WalkOutcome.COMPLETE);
                assertThat(seen.methods()).as(name).isEmpty();
                SeenFrames holes = new SeenFrames();
                walk(walks, WalkRequest.of(threads.get(name)).withHoles(), holes);
                assertThat(holes.frames).as(name).isEmpty();
                assertThat(holes.holes).as(name).containsExactly(seen.frames.size());
            }
        }
    }

    /** The oracle is the stack trace of an exception, which omits hidden frames. */
    @Requirement("S-21")
    @ParameterizedTest
    @MethodSource("jdks")
    void hiddenFramesAreShownOrOmittedByOption(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("HiddenFrames").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "hides");
            SeenFrames shown = walkToTheBottom(walks, WalkRequest.of(tid));
            SeenFrames hidden = walkToTheBottom(walks, WalkRequest.of(tid).withoutHidden());
            List<String> trace = List.of(jvm.ask("trace").split(" "));
            assertThat(fromBottom(hidden.methods())).isEqualTo(trace);
            assertThat(fromBottom(shown.methods()))
                    .hasSizeGreaterThan(trace.size())
                    .anyMatch(method -> method.startsWith("java.lang.invoke.LambdaForm"))
                    .anyMatch(method -> method.contains("$$Lambda"));
        }
    }

    /**
     * Walks a thread to its root, again if necessary: on a busy machine a stop can reach its limit before the stack is
     * copied.
     */
    private static SeenFrames walkToTheBottom(ThreadWalks walks, WalkRequest request) throws Exception {
        SeenFrames seen = new SeenFrames();
        ThreadWalk result = walk(walks, request, seen);
        Deadline deadline = Deadline.in(LIMIT);
        while (result.outcome() != WalkOutcome.COMPLETE) {
            deadline.check("%s", result);
            seen = new SeenFrames();
            result = walk(walks, request, seen);
        }
        assertThat(seen.methods()).as("%s", result).contains("mayfly.targets.HiddenFrames.bottom");
        return seen;
    }

    private static List<String> fromBottom(List<String> methods) {
        return methods.subList(methods.indexOf("mayfly.targets.HiddenFrames.bottom"), methods.size());
    }

    @Requirement("S-17")
    @ParameterizedTest
    @MethodSource("jdks")
    void walkSessionOnAStartingJvmIsRefused(Jdk jdk, @TempDir Path folder) throws Exception {
        try (Jvm jvm = Jvm.run("Idle")
                .on(jdk)
                .in(folder)
                .with("-XX:+UnlockDiagnosticVMOptions", "-XX:+PauseAtStartup")
                .startUnready()) {
            Path paused = folder.resolve("vm.paused." + jvm.pid());
            Deadline deadline = Deadline.in(LIMIT);
            while (!Files.exists(paused)) {
                deadline.check("the JVM does not pause at its start");
            }
            assertThatThrownBy(() -> ThreadWalks.open((int) jvm.pid()))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(Refused.Reason.JVM_STARTING));
            Files.delete(paused);
            jvm.awaitReady(LIMIT);
            try (ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
                assertThat(walks.threads()).isNotEmpty();
            }
        }
    }

    @Requirement("T-04")
    @ParameterizedTest
    @MethodSource("jdks")
    void walkOfAnEndedThreadReturnsThreadGone(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            SeenFrames seen = new SeenFrames();
            assertThat(walk(walks, WalkRequest.of(Integer.MAX_VALUE), seen).status())
                    .isEqualTo(WalkStatus.THREAD_GONE);
            int tid = tidOf(walks, "VM Thread");
            jvm.exit();
            assertThat(walk(walks, WalkRequest.of(tid), seen).status()).isEqualTo(WalkStatus.THREAD_GONE);
            assertThat(seen.frames).isEmpty();
        }
    }

    @Requirement("T-03")
    @ParameterizedTest
    @MethodSource("jdks")
    void threadHeldByAnotherTracerIsRefusedNamingIt(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid());
                HeldThread held = HeldThread.of(tidOf(walks, "VM Thread"))) {
            assertThatThrownBy(() -> walk(walks, WalkRequest.of(tidOf(walks, "VM Thread")), new SeenFrames()))
                    .isInstanceOfSatisfying(Refused.class, refused -> {
                        assertThat(refused.reason()).isEqualTo(Refused.Reason.TRACED);
                        assertThat(refused).hasMessageContaining("process " + held.tracer());
                    });
        }
    }

    /** All threads of a collecting JVM are walked, and no stop waits for a safepoint. */
    @Requirement("T-01")
    @ParameterizedTest
    @MethodSource("jdks")
    void walksSucceedDuringConstantCollections(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Churn")
                        .on(jdk)
                        .with("-Xmx64m", "-XX:+UseSerialGC")
                        .start();
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int complete = 0;
            int all = 0;
            for (int i = 0; i < Scale.count(10, 100); i++) {
                for (TargetThread thread : walks.threads()) {
                    ThreadWalk result = walks.walk(
                            WalkRequest.of(thread.tid()), (report, data) -> data.take(report), new SeenFrames());
                    if (result.status() != WalkStatus.THREAD_GONE) {
                        all++;
                        complete += result.outcome() == WalkOutcome.COMPLETE ? 1 : 0;
                    }
                }
            }
            assertThat((double) complete / all).as("%d of %d", complete, all).isGreaterThan(0.97);
            assertThat(jvm.isAlive()).isTrue();
        }
    }

    /** A native leaf without call-frame information; below it the runtime has recorded its last Java frame. */
    @Requirement("S-09")
    @ParameterizedTest
    @MethodSource("jdks")
    void nativeLeafIsSkippedToTheLastManagedFrame(Jdk jdk) throws Exception {
        try (Jvm jvm = unwalkable(jdk, "recorded");
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "unwalkable");
            SeenFrames seen = new SeenFrames();
            ThreadWalk result = walk(walks, WalkRequest.of(tid).withHoles(), seen);
            assertThat(result.status()).isEqualTo(WalkStatus.DONE);
            assertThat(result.start()).isEqualTo(ThreadWalk.Start.LAST_MANAGED_FRAME);
            assertThat(seen.holes.getFirst()).isEqualTo(FrameReport.UNKNOWN);
            assertThat(seen.methods()).contains("mayfly.targets.UnwalkableLeaf.call", "java.lang.Thread.run");
        }
    }

    @Requirement({"S-10", "S-11"})
    @ParameterizedTest
    @MethodSource("jdks")
    void unskippableLeafIsUnmanagedContextWithoutASeed(Jdk jdk) throws Exception {
        try (Jvm jvm = unwalkable(jdk, "unrecorded");
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "unwalkable");
            SeenFrames unseeded = new SeenFrames();
            Registers leaf = leafOf(walks, tid, unseeded);
            assertThat(unseeded.methods()).isEmpty();

            SeenFrames seeded = new SeenFrames();
            ThreadWalk helped = walk(walks, WalkRequest.of(tid).seededWith(afterReturn(jvm, leaf)), seeded);
            assertThat(helped.status()).as(helped.toString()).isEqualTo(WalkStatus.DONE);
            assertThat(helped.start()).isEqualTo(ThreadWalk.Start.SEED);
            assertThat(seeded.methods()).contains("mayfly.targets.UnwalkableLeaf.count", "java.lang.Thread.run");

            // If the walk of a thread can start without a seed, even a wrong seed has no effect.
            int plain = tidOf(walks, "VM Thread");
            SeenFrames without = new SeenFrames();
            SeenFrames with = new SeenFrames();
            walk(walks, WalkRequest.of(plain), without);
            walk(walks, WalkRequest.of(plain).seededWith(random(new Random(1), leaf.sp())), with);
            assertThat(with.frames).hasSameSizeAs(without.frames).isNotEmpty();
            assertThat(with.first(with.frames.size())).isEqualTo(without.first(without.frames.size()));
        }
    }

    @Requirement({"S-12", "S-13"})
    @ParameterizedTest
    @MethodSource("jdks")
    void walkWithAnySeedEndsInAResultAndTheTargetContinues(Jdk jdk) throws Exception {
        long seed = Long.getLong("mayfly.seed", System.nanoTime());
        Random random = new Random(seed);
        try (Jvm jvm = unwalkable(jdk, "unrecorded");
                ThreadWalks walks = ThreadWalks.open((int) jvm.pid())) {
            int tid = tidOf(walks, "unwalkable");
            Registers leaf = leafOf(walks, tid, new SeenFrames());
            for (int i = 0; i < Scale.count(500, 100_000); i++) {
                ThreadWalk result =
                        walk(walks, WalkRequest.of(tid).seededWith(random(random, leaf.sp())), new SeenFrames());
                assertThat(result.status())
                        .as("-Dmayfly.seed=" + seed + ", number " + i)
                        .isIn(WalkStatus.DONE, WalkStatus.BROKEN, WalkStatus.STACK_SNAPSHOT_UNMANAGED_CONTEXT);
            }
            assertThat(jvm.isAlive()).isTrue();
            assertThat(walks.threads()).noneMatch(thread -> thread.state() == 't');
        }
    }

    private static Jvm unwalkable(Jdk jdk, String how) throws Exception {
        Path library = CSource.library(
                Path.of("..", "targets", "src", "main", "c", "unwalkableleaf.c"), "libunwalkableleaf.so");
        // Interpreted: a loop whose compilation begins calls the VM, which records the last Java frame.
        return Jvm.run("UnwalkableLeaf")
                .on(jdk)
                .with("-Xint")
                .args(library.toString(), how)
                .start();
    }

    /** Returns the registers as they will be when the leaf, which does not touch its stack, has returned. */
    private static Registers afterReturn(Jvm jvm, Registers leaf) throws Exception {
        Registers after = new Registers(X86_64.ARCHITECTURE);
        after.copyFrom(leaf);
        try (var memory = new java.io.RandomAccessFile("/proc/" + jvm.pid() + "/mem", "r")) {
            memory.seek(leaf.sp());
            after.set(X86_64.RIP, Long.reverseBytes(memory.readLong()));
        }
        after.set(X86_64.RSP, leaf.sp() + 8);
        return after;
    }

    /** Returns registers that are partly random and partly almost correct. */
    private static Registers random(Random random, long near) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        for (int i = 0; i < X86_64.ARCHITECTURE.registers(); i++) {
            if (random.nextInt(8) != 0) {
                registers.set(
                        i,
                        switch (random.nextInt(4)) {
                            case 0 -> random.nextLong();
                            case 1 -> near + random.nextInt(4096);
                            case 2 -> near + 8L * random.nextInt(256);
                            default -> random.nextInt(2) == 0 ? 0 : -1;
                        });
            }
        }
        return registers;
    }
}
