package mayfly.e2e;

import static mayfly.e2e.EventLog.await;
import static mayfly.e2e.EventLog.seen;
import static mayfly.e2e.EventLog.status;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.LoggingProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Events from the JVM's own log. No test accepts the lasting cost of JVMTI, except where it says so. */
class AsynchronousEventsTest {
    private static final String ALL = "THREADS CLASS_LOADS MODULE_LOADS GARBAGE_COLLECTIONS COMPILATIONS SUSPENSIONS";
    private static final Duration PATIENCE = EventLog.PATIENCE;
    private static final int ROUNDS = Scale.count(20, 200);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Attached attach(Jvm jvm, String events) throws Exception {
        return EventLog.attach(jvm, folder, events);
    }

    private static String log(Jvm jvm) throws Exception {
        Command done = Command.run(
                Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "VM.log list");
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        return done.stdout();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-03", "R-08"})
    void allAsynchronousEventsNeedNoJvmtiAndLeaveTheLogAsItWas(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            String log = log(jvm);
            Attached profiler = attach(jvm, ALL);
            assertThat(profiler.ask("asynchronous"))
                    .isEqualTo("[THREADS, CLASS_LOADS, GARBAGE_COLLECTIONS, MODULE_LOADS, SUSPENSIONS, COMPILATIONS]");
            jvm.ask("stay stayer");
            for (int i = 0; i < 5; i++) {
                assertThat(jvm.ask("load")).isEqualTo("a guest");
            }
            assertThat(jvm.ask("unload")).isEqualTo("collected");
            await(profiler, "thread + ", lines -> lines.stream().anyMatch(line -> line.endsWith(" stayer")));
            await(profiler, "class - ", lines -> lines.size() >= 5);
            await(profiler, "GC(", lines -> lines.size() >= 1);
            jvm.ask("churn");
            await(profiler, "code ", lines -> lines.size() >= 1);
            jvm.ask("rest");
            assertThat(log(jvm)).isNotEqualTo(log);
            assertThat(status(jvm).jvmti()).isFalse();
            assertThat(profiler.ask("seen")).doesNotContain("impossible time");
            assertThat(profiler.ask("threads").lines())
                    .as("callbacks run on one thread")
                    .hasSize(1);
            profiler.detach();
            assertThat(log(jvm)).isEqualTo(log);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** If the JVM had no tag for a moment, it would close the log, and truncate it when it opens it again. */
    @ParameterizedTest
    @MethodSource("jdks")
    void eventsContinueWhenTheSubscriptionChanges(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "GARBAGE_COLLECTIONS");
            for (int i = 0; i < 20; i++) {
                jvm.ask("unload");
            }
            await(profiler, "GC(", lines -> lines.size() >= 20);
            for (int i = 1; i <= 5; i++) {
                int threads = i;
                assertThat(profiler.ask("mask THREADS")).isEqualTo("OK");
                jvm.ask("stay stayer-" + i);
                await(
                        profiler,
                        "thread + ",
                        lines -> lines.stream().anyMatch(line -> line.endsWith(" stayer-" + threads)));
                assertThat(profiler.ask("mask GARBAGE_COLLECTIONS")).isEqualTo("OK");
                int before = seen(profiler, "GC(").size();
                jvm.ask("unload");
                await(profiler, "GC(", lines -> lines.size() > before);
            }
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
        }
    }

    /** A thread that ends before the host finds it is a lost event; each other has a start and an end. */
    @ParameterizedTest
    @MethodSource("jdks")
    void eachThreadIsReportedOrCountedAsLost(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "THREADS");
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(jvm.ask("thread short-" + i)).isEqualTo("ended");
                jvm.ask("stay long-" + i);
            }
            await(
                    profiler,
                    "thread + ",
                    lines -> lines.stream()
                                    .filter(line -> line.contains(" long-"))
                                    .count()
                            == ROUNDS);
            Deadline deadline = Deadline.in(PATIENCE);
            while (seen(profiler, "thread - ").size() + status(jvm).lost() < ROUNDS) {
                deadline.check("%s", profiler.ask("seen"));
            }
            Set<String> started = seen(profiler, "thread + ").stream()
                    .map(line -> line.split(" ")[2])
                    .collect(Collectors.toSet());
            assertThat(seen(profiler, "thread - "))
                    .extracting(line -> line.split(" ")[2])
                    .as("a thread of the JVM that ran before may end too")
                    .filteredOn(started::contains)
                    .doesNotHaveDuplicates();
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void endOfAThreadThatRanBeforeTheAttachIsReported(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("churn");
            Attached profiler = attach(jvm, "THREADS");
            jvm.ask("rest");
            // The churning threads ran before the attach, so that their ends have no start.
            await(profiler, "thread - ", ends -> {
                try {
                    Set<String> started = seen(profiler, "thread + ").stream()
                            .map(line -> line.split(" ")[2])
                            .collect(Collectors.toSet());
                    return ends.stream()
                                    .map(line -> line.split(" ")[2])
                                    .filter(id -> !started.contains(id))
                                    .count()
                            >= 2;
                } catch (AttachFailed e) {
                    throw new AssertionError(e);
                }
            });
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eachClassIsReportedOnceWithItsLoaderAndItsEnd(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("load");
            Attached profiler = attach(jvm, "CLASS_LOADS");
            assertThat(profiler.ask("classes").lines())
                    .contains("java.lang.Object by boot in false")
                    .filteredOn(line -> line.startsWith("mayfly.targets.ThreadAndClassChurn$Guest by @"))
                    .as("the program's own, and the one that it has loaded in a new loader")
                    .hasSize(2);
            for (int i = 0; i < ROUNDS; i++) {
                jvm.ask("load");
            }
            List<String> loads = await(
                    profiler,
                    "class + ",
                    lines -> lines.stream()
                                    .filter(line -> line.contains("ThreadAndClassChurn$Guest "))
                                    .count()
                            == ROUNDS);
            assertThat(loads)
                    .filteredOn(line -> line.contains("$Guest "))
                    .allMatch(line -> line.contains(" by mayfly.targets.ThreadAndClassChurn$Loader@"));
            jvm.ask("unload");
            Set<String> guests = loads.stream()
                    .filter(line -> line.contains("$Guest "))
                    .map(line -> line.split(" ")[2])
                    .collect(Collectors.toSet());
            assertThat(guests).hasSize(ROUNDS);
            // One guest was loaded before the attach.
            await(
                    profiler,
                    "class - ",
                    lines -> lines.stream()
                                    .map(line -> line.split(" ")[2])
                                    .collect(Collectors.toSet())
                                    .containsAll(guests)
                            && lines.size() > guests.size());
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
        }
    }

    /** The JVM reuses the addresses of unloaded classes and loaders during the loads. */
    @ParameterizedTest
    @MethodSource("jdks")
    void classesOfOneNameAreReportedWithTheirLoadersWhileOthersAreUnloaded(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("WorkOnRequest").on(jdk).with("-Xmx64m").start()) {
            jvm.ask("classes 1000");
            Attached profiler = attach(jvm, "CLASS_LOADS");
            int loaded = 0;
            for (int i = 0; i < Scale.count(5, 50); i++) {
                loaded += Integer.parseInt(jvm.ask("classes 50").split(" ")[0]);
                assertThat(collect(jvm).exitCode()).isZero();
            }
            int expected = loaded;
            List<String> loads = await(
                    profiler,
                    "class + ",
                    lines -> lines.stream()
                                    .filter(line -> line.contains("$Guest "))
                                    .count()
                            == expected);
            assertThat(loads)
                    .filteredOn(line -> line.contains("$Guest "))
                    .allMatch(line -> line.contains(" by mayfly.targets.WorkOnRequest$Loader@"));
            List<String> ids = loads.stream()
                    .filter(line -> line.contains("$Guest "))
                    .map(line -> line.split(" ")[2])
                    .toList();
            assertThat(ids).doesNotHaveDuplicates();
            await(profiler, "class - ", lines -> {
                Set<String> unloaded =
                        lines.stream().map(line -> line.split(" ")[2]).collect(Collectors.toSet());
                return unloaded.containsAll(ids);
            });
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
        }
    }

    private static Command collect(Jvm jvm) {
        return Command.run(Attached.LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "GC.run");
    }

    /** The JVM's own log of collections is the oracle. */
    @ParameterizedTest
    @MethodSource("jdks")
    void eachPauseOfACollectionIsReportedWithItsCauseAndSizes(Jdk jdk) throws Exception {
        List<String> collectors = Scale.DEEP
                ? List.of("-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC")
                : List.of("-XX:+UseG1GC", "-XX:+UseZGC");
        for (String collector : collectors) {
            Path oracle = folder.resolve("gc" + collector.substring("-XX:+".length()));
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .with(collector, "-Xlog:gc,gc+phases:file=" + oracle + "::filecount=0")
                    .start()) {
                jvm.ask("unload");
                Attached profiler = attach(jvm, "GARBAGE_COLLECTIONS");
                for (int i = 0; i < 5; i++) {
                    jvm.ask("unload");
                }
                List<String> all = pauses(oracle);
                List<String> reported = await(profiler, "GC(", lines -> lines.contains(all.getLast()));
                int first = all.indexOf(reported.getFirst());
                List<String> expected = all.subList(first, all.size());
                assertThat(expected).as("%s: %s", collector, reported).hasSizeGreaterThanOrEqualTo(5);
                assertThat(reported.subList(0, expected.size()))
                        .as("%s", collector)
                        .isEqualTo(expected);
                assertThat(seen(profiler, "collection started")).hasSameSizeAs(seen(profiler, "collection finished"));
                assertThat(status(jvm).lost()).isZero();
                profiler.detach();
            }
        }
    }

    private static final Pattern PAUSE =
            Pattern.compile("(GC\\(\\d+\\)) (?:\\S: )?Pause (.*?)(?: \\(([^()]*(?:\\(\\))?)\\))?"
                    + "(?: (\\d+)M->(\\d+)M\\((\\d+)M\\))? (\\d+)\\.(\\d\\d\\d)ms$");

    /** Returns the pauses in a log file, as {@link LoggingProfiler} describes them. */
    private static List<String> pauses(Path log) throws Exception {
        List<String> pauses = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            var found = PAUSE.matcher(line);
            if (found.find()) {
                boolean sized = found.group(4) != null;
                String group = found.group(3) == null ? "" : found.group(3);
                String kind = found.group(2) + (sized || group.isEmpty() ? "" : " (" + group + ")");
                pauses.add(found.group(1) + " " + kind + "|" + (sized ? group : "") + "|"
                        + (Long.parseLong(found.group(7)) * 1000 + Long.parseLong(found.group(8))) * 1000 + "|"
                        + bytes(found.group(4)) + "|" + bytes(found.group(5)) + "|" + bytes(found.group(6)));
            }
        }
        return pauses;
    }

    private static long bytes(String mebibytes) {
        return mebibytes == null ? -1 : Long.parseLong(mebibytes) << 20;
    }

    /** The list of the JVM's compiled code is the oracle. */
    @ParameterizedTest
    @MethodSource("jdks")
    void installedCodeIsReportedWithItsTier(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "COMPILATIONS");
            jvm.ask("churn");
            await(profiler, "code ", lines -> lines.size() >= 50);
            jvm.ask("rest");
            Set<String> reported = seen(profiler, "code ").stream()
                    .filter(line -> !line.endsWith(" in a loop"))
                    .map(line -> line.substring("code ".length()))
                    .collect(Collectors.toSet());
            Command list = Command.run(
                    Attached.LIMIT,
                    Jdk.current().tool("jcmd").toString(),
                    Long.toString(jvm.pid()),
                    "Compiler.codelist");
            Set<String> present = list.stdout()
                    .lines()
                    .map(line -> line.strip().split(" +"))
                    .filter(words -> words.length > 3)
                    .map(words -> words[1] + " " + words[3])
                    .collect(Collectors.toSet());
            List<String> both = reported.stream().filter(present::contains).toList();
            assertThat(both).as("%s", reported).hasSizeGreaterThan(reported.size() / 4);
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-02", "R-10"})
    void eventsAreAsynchronousByDefaultOnlyWhereJvmtiHasALastingCost(Jdk jdk) throws Exception {
        boolean costs = jdk.feature() >= 21;
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = attach(jvm, "default THREADS SUSPENSIONS");
            assertThat(profiler.ask("asynchronous")).isEqualTo(costs ? "[THREADS, SUSPENSIONS]" : "[SUSPENSIONS]");
            assertThat(status(jvm).jvmti()).isEqualTo(!costs);
            assertThat(profiler.ask("mask synchronous THREADS")).isEqualTo(costs ? "LASTING_COST_NOT_ACCEPTED" : "OK");
            assertThat(profiler.ask("mask synchronous SUSPENSIONS")).isEqualTo("FAILED");
            assertThat(profiler.ask("mask THREADS")).isEqualTo("OK");
            assertThat(profiler.ask("asynchronous")).isEqualTo("[THREADS]");
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** The environment of an earlier profiler has slowed virtual threads already. */
    @ParameterizedTest
    @MethodSource("jdks")
    void synchronousEventNeedsNoAcceptanceAfterAProfilerThatHadJvmti(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached.to(jvm, folder, "THREADS").detach();
            Attached profiler = attach(jvm, "synchronous THREADS");
            assertThat(profiler.ask("asynchronous")).isEqualTo("[]");
            jvm.ask("thread t");
            await(profiler, "thread - ", lines -> !lines.isEmpty());
            profiler.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void logThatTheProcessCannotHaveRefusesTheEvents(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Command limited =
                    Command.run(Attached.LIMIT, "prlimit", "--pid", Long.toString(jvm.pid()), "--fsize=1073741824");
            assertThat(limited.exitCode()).as(limited.evidence()).isZero();
            AttachFailed failed = Attached.failure(() -> attach(jvm, "THREADS"));
            assertThat(failed.status()).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER);
            assertThat(failed).hasMessageContaining("THREADS are not available").hasMessageContaining("size of files");
            HostTrace.awaitNone(jvm);
        }
    }
}
