package mayfly.client;

import static mayfly.client.ScriptedMayfly.PID;
import static mayfly.client.ScriptedMayfly.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The JSON that the command prints, as it is read. Tests of the command write the samples. */
class ResultsTest {
    private static final String EVIL = "evil\u001b[2J\n\"\u202e";

    private final ScriptedMayfly command = new ScriptedMayfly();

    @Test
    void recordingHasEveryFigure() throws Exception {
        Recording cpu =
                command.prints(sample("record.json")).mayfly().record(PID).run();
        assertThat(cpu.file()).isEqualTo(Path.of("/tmp/cpu.html"));
        assertThat(List.of(cpu.format(), cpu.mainClass(), cpu.jvmVersion(), cpu.event(), cpu.unit(), cpu.collector()))
                .containsExactly("html", "a.Main", "25.0.3+9-LTS", "cpu", "ns", "perf, per thread");
        assertThat(List.of(
                        cpu.pid(),
                        cpu.rateHz(),
                        cpu.samples(),
                        cpu.complete(),
                        cpu.truncated(),
                        cpu.shortened(),
                        cpu.unproven(),
                        cpu.lost(),
                        cpu.throttled(),
                        cpu.duplicates(),
                        cpu.supersededFrames(),
                        cpu.continuedStacks(),
                        cpu.unsavedStacks()))
                .containsExactly(7L, 99L, 915L, 900L, 1L, 2L, 3L, 6L, 7L, 8L, 9L, 10L, 11L);
        assertThat(cpu.broken()).isEqualTo(Map.of("no_cfi", 4L, "stale_code", 5L));
        assertThat(cpu.duration()).isEqualTo(Duration.ofNanos(10_000_000_001L));
        assertThat(cpu.sampledCpu()).isEqualTo(Duration.ofNanos(9_242_424_242L));
        assertThat(cpu.procCpu()).hasValue(Duration.ofMillis(9500));
        assertThat(cpu.inferredLeaves()).hasValue(12);
        assertThat(cpu.alarms()).containsExactly("an \"alarm\"");
        assertThat(cpu.notes()).containsExactly("a note");
    }

    @Test
    void figureThatIsNotKnownIsEmpty() throws Exception {
        Recording wall =
                command.prints(sample("record-wall.json")).mayfly().record(PID).run();
        assertThat(wall.event()).isEqualTo("wall");
        assertThat(wall.samples()).isZero();
        assertThat(wall.procCpu()).isEmpty();
        assertThat(wall.inferredLeaves()).isEmpty();
    }

    @Test
    void resultIsTheLastLine() throws Exception {
        String text = "a line of something else\n" + sample("record.json") + "\n";
        assertThat(command.prints(text).mayfly().record(PID).run().samples()).isEqualTo(915);
    }

    @Test
    void dumpHasEveryThreadAndKindOfFrame() throws Exception {
        ThreadDump dump =
                command.prints(sample("stack.json")).mayfly().stack(PID).run();
        assertThat(dump.pid()).isEqualTo(4711);
        assertThat(dump.mainClass()).isEqualTo("org.example.Main" + EVIL);
        assertThat(dump.runtimes()).containsExactly("r1 HotSpot 25.0.3+9-LTS");
        assertThat(dump.time()).isEqualTo(Instant.parse("2026-01-02T03:04:05.678Z"));
        assertThat(dump.together()).isFalse();
        assertThat(dump.stops().count()).isEqualTo(3);
        assertThat(dump.stops().median()).isEqualTo(Duration.ofNanos(23_400));
        assertThat(dump.stops().longest()).isEqualTo(Duration.ofNanos(13_130_200));
        assertThat(dump.stops().unstopped()).isEqualTo(1);
        assertThat(dump.stops().limit()).isEqualTo(Duration.ofMillis(10));
        assertThat(dump.stops().overLimit()).isEqualTo(1);
        assertThat(dump.threads())
                .extracting(ThreadDump.DumpedThread::name)
                .containsExactly("main", EVIL, "GC Thread#0", "x");
        assertThat(dump.threads().get(0).frames())
                .map(Object::toString)
                .containsExactly(
                        "libc.so.6!pthread_cond_wait (native)",
                        "libjvm.so!ObjectMonitor::wait (VM)",
                        "java.lang.Object.wait0(Native Method)",
                        "java.lang.Object.wait(Object.java:351)",
                        "org.example.Main.main(Unknown Source)",
                        "call_stub (stub)",
                        "0x7f0000001000 (native)",
                        "do_syscall_64 (kernel)");
        assertThat(dump.threads().get(1).frames())
                .map(Object::toString)
                .containsExactly(
                        "... 7 native frames",
                        "a." + EVIL + "." + EVIL + "(" + EVIL + ":7)",
                        "... 12345 frames omitted",
                        "... native frames may be missing");
        assertThat(dump.threads().stream()
                        .flatMap(thread -> thread.frames().stream())
                        .map(Frame::kind)
                        .collect(Collectors.toSet()))
                .containsExactlyInAnyOrder("java", "stub", "vm", "native", "kernel", "hole", "omitted");
    }

    @Test
    void dumpHasTheLockOfEachThreadAndTheDeadlocks() throws Exception {
        ThreadDump dump =
                command.prints(sample("stack.json")).mayfly().stack(PID).run();
        assertThat(dump.threads().get(0).lock()).hasValueSatisfying(lock -> {
            assertThat(List.of(lock.kind(), lock.className(), lock.object(), lock.ownership(), lock.unread()))
                    .containsExactly("enter", "org.example.Lock" + EVIL, "0x62d01000", "known", "");
            assertThat(lock.owner()).hasValueSatisfying(owner -> {
                assertThat(owner.tid()).isEqualTo(4713);
                assertThat(owner.name()).isEqualTo(EVIL);
                assertThat(owner.id()).isEqualTo(22);
            });
        });
        assertThat(dump.threads().get(2).lock()).isEmpty();
        assertThat(dump.threads().get(3).lock()).hasValueSatisfying(lock -> {
            assertThat(lock.unread()).isEqualTo("it moves while it is read");
            assertThat(lock.owner()).isEmpty();
        });
        assertThat(dump.deadlocks()).hasSize(2);
        assertThat(dump.deadlocks().get(0).threads())
                .extracting(
                        ThreadDump.DeadlockedThread::tid,
                        ThreadDump.DeadlockedThread::name,
                        ThreadDump.DeadlockedThread::id)
                .containsExactly(tuple(4712L, "main", 1L), tuple(0L, EVIL, 22L));
        assertThat(dump.deadlocks().get(0).threads().get(1).lock().kind()).isEqualTo("park");
        assertThat(dump.deadlocks().get(1).threads().get(0).lock().kind()).isEqualTo("initialization");
    }

    @Test
    void dumpHasTheVirtualThreadsInGroups() throws Exception {
        assertThat(command.prints(sample("stack.json"))
                        .mayfly()
                        .stack(PID)
                        .run()
                        .virtual())
                .isEmpty();
        ThreadDump.VirtualThreads virtual = command.prints(sample("stack-virtual.json"))
                .mayfly()
                .stack(PID)
                .virtual()
                .run()
                .virtual()
                .orElseThrow();
        assertThat(List.of(virtual.threads(), virtual.mounted())).containsExactly(11L, 3L);
        assertThat(virtual.allRecorded()).isFalse();
        assertThat(virtual.unread())
                .extracting(ThreadDump.UnreadThreads::reason, ThreadDump.UnreadThreads::threads)
                .containsExactly(tuple("its data is inconsistent", 2L));
        assertThat(virtual.unreadable())
                .extracting(ThreadDump.UnreadableRuntime::runtime, ThreadDump.UnreadableRuntime::reason)
                .containsExactly(tuple("r2", "it moves while it is read"));
        assertThat(virtual.groups())
                .extracting(
                        ThreadDump.VirtualGroup::runtime,
                        ThreadDump.VirtualGroup::state,
                        ThreadDump.VirtualGroup::outcome)
                .containsExactly(tuple("r1", "parked", "complete"), tuple("r1", "running", "stale_code"));
        assertThat(virtual.groups().get(0).threads())
                .hasSize(10)
                .last()
                .extracting(ThreadDump.VirtualThread::name, ThreadDump.VirtualThread::id)
                .containsExactly(EVIL + 9, 109L);
        assertThat(virtual.groups().get(0).frames()).hasSize(3);
    }

    @Test
    void threadHasItsTimesItsJavaThreadAndItsOutcome() throws Exception {
        ThreadDump dump =
                command.prints(sample("stack.json")).mayfly().stack(PID).run();
        ThreadDump.DumpedThread main = dump.threads().get(0);
        assertThat(main.tid()).isEqualTo(4712);
        assertThat(List.of(
                        main.kernelName(),
                        main.kernelState(),
                        main.status(),
                        main.outcome(),
                        main.start(),
                        main.reason()))
                .containsExactly("java", "S", "done", "complete", "registers", "");
        assertThat(main.cpu()).hasValue(Duration.ofNanos(12_345_678));
        assertThat(main.elapsed()).isEqualTo(Duration.ofMillis(3210));
        assertThat(main.stop()).isEqualTo(Duration.ofNanos(23_400));
        assertThat(main.java()).hasValueSatisfying(java -> {
            assertThat(List.of(java.runtime(), java.unread(), java.state())).containsExactly("r1", "", "waiting");
            assertThat(java.id()).isEqualTo(1);
            assertThat(java.daemon()).isFalse();
            assertThat(java.mounted()).isEmpty();
        });
        ThreadDump.DumpedThread carrier = dump.threads().get(1);
        assertThat(carrier.cpu()).isEmpty();
        assertThat(carrier.java().flatMap(ThreadDump.JavaThread::mounted)).hasValueSatisfying(mounted -> {
            assertThat(mounted.id()).isEqualTo(23);
            assertThat(mounted.name()).isEqualTo(EVIL);
        });
        assertThat(dump.threads().get(2).java()).isEmpty();
        assertThat(dump.threads().get(2).status()).isEqualTo("broken");
        assertThat(dump.threads().get(3).reason()).isEqualTo("it did not stop in time");
        Frame.Managed wait = (Frame.Managed) main.frames().get(3);
        assertThat(List.of(
                        wait.runtime(), wait.className(), wait.method(), wait.descriptor(), wait.tier(), wait.file()))
                .containsExactly("r1", "java.lang.Object", "wait", "()V", "c1", "Object.java");
        assertThat(wait.bci()).hasValue(1);
        assertThat(wait.line()).hasValue(351);
        assertThat(wait.monitors()).isEmpty();
        Frame.Managed method = (Frame.Managed) main.frames().get(4);
        assertThat(method.line()).isEmpty();
        assertThat(method.monitors())
                .extracting(Frame.Monitor::state)
                .containsExactly("entered", "left", "eliminated", "eliminated", "entered", "entered");
        assertThat(method.monitors().get(0).className()).isEqualTo("org.example.Lock" + EVIL);
        assertThat(method.monitors().get(0).object()).isEqualTo("0x62d03000");
        assertThat(method.monitors().get(5).unread()).isEqualTo("it moves while it is read");
    }

    @Test
    void frameOfANewKindIsKept() throws Exception {
        String sample = sample("stack.json")
                .replace("\"kind\":\"stub\"", "\"kind\":\"trampoline\"")
                .replaceFirst("\"kind\":\"java\"", "\"kind\":\"python\"");
        List<Frame> frames = command.prints(sample)
                .mayfly()
                .stack(PID)
                .run()
                .threads()
                .get(0)
                .frames();
        assertThat(frames.get(5)).isInstanceOf(Frame.Other.class).hasToString("... a frame of the kind trampoline");
        assertThat(frames.get(2))
                .isInstanceOf(Frame.Managed.class)
                .extracting(Frame::kind)
                .isEqualTo("python");
    }

    @Test
    void auditHasEveryKindAndItem() throws Exception {
        AuditReport audit =
                command.prints(sample("audit.json")).mayfly().audit(PID).run();
        assertThat(audit.pid()).isEqualTo(7);
        assertThat(audit.time()).isEqualTo(Instant.parse("2026-01-02T03:04:07Z"));
        assertThat(audit.runtimes()).containsExactly("r1 HotSpot 25.0.3");
        assertThat(audit.notSeen()).isNotEmpty();
        AuditReport.Kind threads = audit.kinds().stream()
                .filter(kind -> kind.kind().equals("threads"))
                .findFirst()
                .orElseThrow();
        assertThat(threads.seen()).isNotEmpty();
        assertThat(threads.problem()).isEmpty();
        assertThat(threads.items())
                .map(AuditReport.Item::text)
                .containsExactlyInAnyOrder("\"main\"", "\"" + EVIL + "\"", "Mayfly channel");
        assertThat(threads.items()).map(AuditReport.Item::owner).contains("mayfly", "unknown");
        assertThat(threads.items()).map(AuditReport.Item::count).contains(1L, 2L);
        assertThat(audit.kinds()).filteredOn(kind -> !kind.problem().isEmpty()).hasSize(1);
    }

    @Test
    void comparisonWithTracesIsAResult() throws Exception {
        AuditComparison compared = command.ends(1, sample("audit-compared.json"), "")
                .mayfly()
                .audit(PID)
                .compare(Path.of("saved"));
        assertThat(compared.pid()).isEqualTo(7);
        assertThat(compared.comparedWith()).isEqualTo(Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(compared.time()).isEqualTo(Instant.parse("2026-01-02T03:04:07Z"));
        assertThat(compared.differences()).hasSize(7);
        assertThat(compared.leftovers())
                .hasSize(3)
                .allMatch(item -> item.before() == 0
                        && item.after() > 0
                        && !item.reason().isEmpty()
                        && !item.text().isEmpty()
                        && !item.kind().isEmpty());
        assertThat(compared.uncompared())
                .map(AuditComparison.Uncompared::reason)
                .contains("it moves");
    }

    @Test
    void listOfRuntimesHasEveryField() throws Exception {
        List<JavaRuntime> runtimes = command.prints(sample("ps.json")).mayfly().ps();
        assertThat(runtimes).hasSize(1);
        JavaRuntime runtime = runtimes.get(0);
        assertThat(runtime.pid()).isEqualTo(7);
        assertThat(List.of(runtime.id(), runtime.version(), runtime.address(), runtime.mainClass(), runtime.user()))
                .containsExactly("r1", "17.0.15+6", "0x7f0000001000", "a.Main", "alice");
        assertThat(runtime.cpu()).isEqualTo(Duration.ofNanos(5));
        assertThat(runtime.uptime()).isEqualTo(Duration.ofNanos(7));
        assertThat(runtime.cpuPercent()).hasValue(25);
        assertThat(runtime.attached()).containsExactly("x.so");
        assertThat(command.prints("[]\n").mayfly().ps()).isEmpty();
    }

    @Test
    void statusHasEveryFieldAndIsEmptyWithoutAProfiler() throws Exception {
        Attachment attachment = command.prints(sample("attach.json"))
                .mayfly()
                .attach(PID, Path.of("/a.jar"))
                .run();
        command.prints(sample("status.json"));
        assertThat(attachment.status()).hasValueSatisfying(status -> {
            assertThat(status.pid()).isEqualTo(7);
            assertThat(List.of(
                            status.profiler(),
                            status.state(),
                            status.runtime(),
                            status.library(),
                            status.longest(),
                            status.pinnedBy()))
                    .containsExactly(
                            "a.Profiler",
                            "pinned",
                            "r1",
                            "0x1000",
                            "classLoadFinished on thread 9 for 3 s",
                            "referenced by a.Cache.all");
            assertThat(List.of(status.overdue(), status.jvmti(), status.remainingClasses()))
                    .containsExactly(true, true, false);
            assertThat(status.attached()).isEqualTo(Duration.ofMillis(1234));
            assertThat(List.of(status.callbacks(), status.lostEvents(), status.thrown()))
                    .containsExactly(2L, 5L, 6L);
        });
        command.prints(sample("status-none.json"));
        assertThat(attachment.status()).isEmpty();
    }

    @Test
    void answerOfAProfilerHasNoLineFeedAtItsEnd() throws Exception {
        Attachment attachment = command.prints(sample("attach.json"))
                .mayfly()
                .attach(PID, Path.of("/a.jar"))
                .run();
        command.prints("two\nlines ü\n");
        assertThat(attachment.send("x")).isEqualTo("two\nlines ü");
        command.prints("");
        assertThat(attachment.send("x")).isEmpty();
    }

    @Test
    void unknownFieldIsIgnored() throws Exception {
        String sample = sample("record.json").replaceFirst("\\{", "{\"later\":{\"x\":[null]},");
        assertThat(command.prints(sample).mayfly().record(PID).run().samples()).isEqualTo(915);
    }
}
