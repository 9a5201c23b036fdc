package mayfly.cli.output;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.stack.DumpedThread;
import mayfly.stack.DumpedThread.Entry;
import mayfly.stack.DumpedThread.JavaThread;
import mayfly.stack.DumpedThread.Mounted;
import mayfly.stack.FrameReport;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadWalk;
import mayfly.stack.WalkStatus;
import mayfly.stack.state.EnteredMonitor;
import mayfly.stack.state.LockReport;
import mayfly.stack.state.LockReport.AwaitedLock;
import mayfly.stack.state.LockReport.AwaitedLock.Ownership;
import mayfly.stack.state.ThreadState;
import mayfly.stack.state.VirtualThreadReport;
import org.jspecify.annotations.Nullable;

/** A thread dump that contains one thread of each form. */
final class Dumps {
    static final RuntimeId R1 = new RuntimeId(1);
    static final String EVIL = "evil\u001b[2J\n\"\u202e";

    private Dumps() {}

    static ThreadDump one() {
        return new ThreadDump(
                4711,
                "org.example.Main" + EVIL,
                List.of("r1 HotSpot 25.0.3+9-LTS"),
                Instant.parse("2026-01-02T03:04:05.678Z"),
                false,
                List.of(main(), evil(), vm(), unsafe()),
                true,
                null,
                new ThreadDump.Stops(3, 23_400, 13_130_200, 1, 10_000_000, 1),
                locks());
    }

    /** A dump of a JVM in which no virtual thread has run. */
    static ThreadDump withoutVirtualThreads() {
        ThreadDump dump = one();
        return new ThreadDump(
                dump.pid(),
                dump.mainClass(),
                dump.runtimes(),
                dump.time(),
                dump.together(),
                dump.threads(),
                false,
                null,
                dump.stops(),
                LockReport.EMPTY);
    }

    /** A dump with virtual threads: a group of ten, one without a name, and some that could not be read. */
    static ThreadDump withVirtualThreads() {
        ThreadDump dump = one();
        List<Frame> stack = dump.threads().getFirst().stack().stream()
                .map(Entry::frame)
                .filter(Frame.Managed.class::isInstance)
                .toList();
        List<VirtualThreadReport.Member> ten = IntStream.range(0, 10)
                .mapToObj(i -> new VirtualThreadReport.Member(EVIL + i, 100 + i, ofVirtual(i)))
                .toList();
        return new ThreadDump(
                dump.pid(),
                dump.mainClass(),
                dump.runtimes(),
                dump.time(),
                true,
                dump.threads(),
                true,
                new VirtualThreadReport(
                        List.of(
                                new VirtualThreadReport.Group(R1, ThreadState.PARKED, WalkOutcome.COMPLETE, stack, ten),
                                new VirtualThreadReport.Group(
                                        R1,
                                        ThreadState.RUNNING,
                                        WalkOutcome.STALE_CODE,
                                        List.of(),
                                        List.of(new VirtualThreadReport.Member("", 7, null)))),
                        3,
                        Map.of("its data is inconsistent", 2),
                        Map.of(new RuntimeId(2), "it moves while it is read"),
                        false),
                dump.stops(),
                LockReport.EMPTY);
    }

    /** A lock with an owner, one that could not be read, and two deadlocks of two threads. */
    private static LockReport locks() {
        AwaitedLock first = lock(AwaitedLock.Kind.ENTER, 0x62d0_1000L, new AwaitedLock.Owner(4713, EVIL, 22));
        AwaitedLock second = lock(AwaitedLock.Kind.PARK, 0x62d0_2000L, new AwaitedLock.Owner(4712, "main", 1));
        AwaitedLock unread =
                new AwaitedLock(AwaitedLock.Kind.UNKNOWN, "", 0, Ownership.UNKNOWN, null, "it moves while it is read");
        AwaitedLock ofClass =
                lock(AwaitedLock.Kind.INITIALIZATION, 0x62d0_7000L, new AwaitedLock.Owner(4717, "second", 24));
        AwaitedLock third = lock(AwaitedLock.Kind.ENTER, 0x62d0_8000L, new AwaitedLock.Owner(4716, "first", 23));
        return new LockReport(
                Map.of(4712, first, 4713, second, 4715, unread),
                List.of(second, second),
                List.of(
                        new LockReport.Deadlock(List.of(
                                new LockReport.Member(4712, "main", 1, first),
                                new LockReport.Member(0, EVIL, 22, second))),
                        new LockReport.Deadlock(List.of(
                                new LockReport.Member(4716, "first", 23, ofClass),
                                new LockReport.Member(4717, "second", 24, third)))));
    }

    /** Returns the lock of a virtual thread: one for four of them, four others, and none for two. */
    private static @Nullable AwaitedLock ofVirtual(int thread) {
        var owner = new AwaitedLock.Owner(0, "", 99);
        return thread >= 8 ? null : lock(AwaitedLock.Kind.PARK, 0x62d0_6000L + 16L * Math.max(3, thread), owner);
    }

    private static AwaitedLock lock(AwaitedLock.Kind kind, long object, AwaitedLock.Owner owner) {
        return new AwaitedLock(kind, "org.example.Lock" + EVIL, object, Ownership.KNOWN, owner, "");
    }

    /** A monitor of each form. */
    private static List<EnteredMonitor> monitors() {
        String type = "org.example.Lock" + EVIL;
        return List.of(
                new EnteredMonitor(EnteredMonitor.State.ENTERED, type, 0x62d0_3000L, ""),
                new EnteredMonitor(EnteredMonitor.State.LEFT, type, 0x62d0_4000L, ""),
                new EnteredMonitor(EnteredMonitor.State.ELIMINATED, type, 0x62d0_5000L, ""),
                new EnteredMonitor(EnteredMonitor.State.ELIMINATED, type, 0, ""),
                new EnteredMonitor(EnteredMonitor.State.ENTERED, "", 0, ""),
                new EnteredMonitor(EnteredMonitor.State.ENTERED, "", 0, "it moves while it is read"));
    }

    private static Entry frame(Frame frame) {
        return new Entry(frame, 0);
    }

    private static DumpedThread main() {
        return new DumpedThread(
                4712,
                "java",
                "java",
                new JavaThread(R1, "main", 1, false, ThreadState.WAITING, null, ""),
                'S',
                12_345_678,
                3_210_000_000L,
                done(WalkOutcome.COMPLETE),
                List.of(
                        frame(new Frame.Native("libc.so.6", 0x1234, "pthread_cond_wait", false)),
                        frame(new Frame.Native("libjvm.so", 0x5678, "ObjectMonitor::wait", true)),
                        frame(new Frame.Managed(R1, "java", "native", "", "java.lang.Object", "wait0", "(J)V", -1, -1)),
                        frame(new Frame.Managed(
                                R1,
                                "java",
                                "compiled",
                                "C1",
                                "java.lang.Object",
                                "wait",
                                "()V",
                                1,
                                351,
                                "Object.java")),
                        new Entry(
                                new Frame.Managed(
                                        R1,
                                        "java",
                                        "interpreted",
                                        "",
                                        "org.example.Main",
                                        "main",
                                        "([Ljava/lang/String;)V",
                                        -1,
                                        -1),
                                0,
                                monitors()),
                        frame(new Frame.Stub(R1, "call_stub")),
                        frame(new Frame.Native("", 0x7f00_0000_1000L, "", false)),
                        frame(new Frame.Kernel(0, "do_syscall_64"))));
    }

    private static DumpedThread evil() {
        return new DumpedThread(
                4713,
                "evil",
                "evil",
                new JavaThread(R1, EVIL, 22, true, ThreadState.PARKED, new Mounted(EVIL, 23), ""),
                'T',
                -1,
                0,
                done(WalkOutcome.TRUNCATED),
                List.of(
                        new Entry(null, 7),
                        frame(new Frame.Managed(R1, "java", "inlined", "", "a." + EVIL, EVIL, "()V", 0, 7, EVIL)),
                        frame(new Frame.Omitted(12_345)),
                        new Entry(null, FrameReport.UNKNOWN)));
    }

    private static DumpedThread vm() {
        return new DumpedThread(
                4714,
                "GC Thread#0",
                "GC Thread#0",
                null,
                'R',
                1,
                1,
                new ThreadWalk(WalkStatus.BROKEN, WalkOutcome.NO_CFI, ThreadWalk.Start.REGISTERS, 1, 1_000, ""),
                List.of(frame(new Frame.Native("libz.so.1", 0x42, EVIL, false))));
    }

    private static DumpedThread unsafe() {
        return new DumpedThread(
                4715,
                "x",
                "x",
                new JavaThread(R1, null, 0, false, ThreadState.UNKNOWN, null, "it moves while it is read"),
                'D',
                0,
                0,
                new ThreadWalk(
                        WalkStatus.STACK_SNAPSHOT_UNSAFE,
                        WalkOutcome.NO_USER_CONTEXT,
                        ThreadWalk.Start.REGISTERS,
                        0,
                        0,
                        "it did not stop in time"),
                List.of());
    }

    private static ThreadWalk done(WalkOutcome outcome) {
        return new ThreadWalk(WalkStatus.DONE, outcome, ThreadWalk.Start.REGISTERS, 1, 23_400, "");
    }
}
