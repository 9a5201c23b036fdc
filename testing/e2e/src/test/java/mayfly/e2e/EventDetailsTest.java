package mayfly.e2e;

import static mayfly.e2e.EventLog.await;
import static mayfly.e2e.EventLog.seen;
import static mayfly.e2e.EventLog.status;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Details of asynchronous events, and what one has to do with another. */
class EventDetailsTest {
    private static final Pattern PAUSE = Pattern.compile("(GC\\(\\d+\\)) (?:\\S: )?Pause .*ms$");
    private static final Pattern SAFEPOINT = Pattern.compile("Safepoint \"([^\"]*)\".* Total: +(\\d+) ns");

    private static final Pattern TRAP = Pattern.compile(
            "cid= *(\\d+) (?:osr|   ) level=(\\d) (.*) trap_bci=(\\d+) " + "(?:osr_bci=(\\d+) )?(\\S+) (\\S+) pc=");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    /** The JVM's own log is the oracle: the line of a suspension follows those of its pauses. */
    @ParameterizedTest
    @MethodSource("jdks")
    void pauseHasTheNumberOfItsSuspension(Jdk jdk) throws Exception {
        for (String collector : List.of("-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC")) {
            Path oracle = folder.resolve("log" + collector.substring("-XX:+".length()));
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .with(collector, "-Xlog:gc,gc+phases,safepoint:file=" + oracle + "::filecount=0")
                    .start()) {
                Attached profiler = EventLog.attach(jvm, folder, "SUSPENSIONS GARBAGE_COLLECTIONS");
                for (int i = 0; i < 5; i++) {
                    jvm.ask("unload");
                }
                List<String> suspensions = await(
                        profiler, "suspended ", lines -> pauses(profiler, lines).size() >= 5);
                List<String> reported = pauses(profiler, suspensions);
                assertThat(suspensionsOfPauses(oracle))
                        .as("%s: %s", collector, profiler.ask("seen"))
                        .containsSequence(reported);
                assertThat(seen(profiler, "during "))
                        .as("%s: a pause without a suspension", collector)
                        .noneMatch(line -> line.startsWith("during -1"));
                assertThat(status(jvm).lost()).isZero();
                profiler.detach();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void threadHasTheOneThatCreatedIt(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Attached profiler = EventLog.attach(jvm, folder, "THREADS");
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                jvm.ask("descend parent-" + i);
                expected.add("creator of parent-" + i + ": main");
                expected.add("creator of child of parent-" + i + ": parent-" + i);
            }
            await(profiler, "creator of ", lines -> lines.containsAll(expected));
            assertThat(seen(profiler, "creator of "))
                    .filteredOn(line -> line.contains("parent-"))
                    .containsExactlyInAnyOrderElementsOf(expected);
            profiler.detach();
        }
    }

    /** The JVM's own log is the oracle. */
    @ParameterizedTest
    @MethodSource("jdks")
    void deoptimizationHasItsReasonAndAction(Jdk jdk) throws Exception {
        if (jdk.feature() < Event.DEOPTIMIZATIONS.since()) {
            deoptimizationsAreRefused(jdk);
            return;
        }
        Path oracle = folder.resolve("traps");
        try (Jvm jvm = Jvm.run("Assumptions")
                .on(jdk)
                .with("-Xlog:deoptimization=debug:file=" + oracle + ":none:filecount=0")
                .start()) {
            Attached profiler = EventLog.attach(jvm, folder, "DEOPTIMIZATIONS");
            for (int i = 0; i < 20; i++) {
                jvm.ask("warm");
            }
            jvm.ask("change");
            List<String> traps = await(
                    profiler,
                    "trap ",
                    lines -> lines.stream()
                            .anyMatch(
                                    line -> line.contains(" mayfly.targets.Assumptions.near(ILjava/lang/Object;)I ")));
            assertThat(traps(oracle)).containsAll(traps);
            assertThat(status(jvm).lost()).isZero();
            profiler.detach();
        }
    }

    private void deoptimizationsAreRefused(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Assumptions").on(jdk).start()) {
            AttachFailed failed = Attached.failure(() -> EventLog.attach(jvm, folder, "DEOPTIMIZATIONS"));
            assertThat(failed.status()).isEqualTo(Status.UNSUPPORTED_FOR_ATTACHING_PROFILER);
            assertThat(failed).hasMessageContaining("DEOPTIMIZATIONS is available from JDK 20 on");
            HostTrace.awaitNone(jvm);
        }
    }

    /** Returns the uncommon traps in a log file, as the profiler describes them. */
    private static List<String> traps(Path log) throws Exception {
        return Files.readAllLines(log).stream()
                .map(TRAP::matcher)
                .filter(line -> line.find())
                .map(line -> "trap " + line.group(1) + " " + line.group(2) + " " + line.group(3) + " " + line.group(4)
                        + " " + (line.group(5) == null ? "-1" : line.group(5)) + " " + line.group(6) + " "
                        + line.group(7))
                .toList();
    }

    /** The compiler has to inline one method, and must not inline another. */
    @ParameterizedTest
    @MethodSource("jdks")
    void compiledMethodHasTheMethodsThatAreInlinedInIt(Jdk jdk) throws Exception {
        String near = "mayfly.targets.Assumptions.near(ILjava/lang/Object;)I";
        try (Jvm jvm = Jvm.run("Assumptions")
                .on(jdk)
                .with(
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=inline,mayfly.targets.Assumptions::near",
                        "-XX:CompileCommand=dontinline,mayfly.targets.Assumptions::far")
                .start()) {
            Attached profiler = EventLog.attachSynchronous(jvm, folder, "COMPILED_METHODS");
            for (int i = 0; i < 20; i++) {
                jvm.ask("warm");
            }
            String outer = "compiled mayfly.targets.Assumptions.outer(ILjava/lang/Object;)I with ";
            List<String> compiled = await(profiler, outer, lines -> !lines.isEmpty());
            assertThat(compiled).contains(outer + near);
            await(profiler, "compiled mayfly.targets.Assumptions.far(I)I with ", lines -> !lines.isEmpty());
            assertThat(seen(profiler, "compiled mayfly.targets.Assumptions."))
                    .noneMatch(line -> line.contains(" mayfly.targets.Assumptions.far")
                            && !line.startsWith("compiled mayfly.targets.Assumptions.far"));
            assertThat(profiler.ask("compiled").lines()).contains((outer + near).substring("compiled ".length()));
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void asynchronousModuleHasItsNameAndItsEnd(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            jvm.ask("module mod.before");
            Attached profiler = EventLog.attach(jvm, folder, "MODULE_LOADS");
            for (int i = 0; i < 5; i++) {
                jvm.ask("module mod.same");
                jvm.ask("module mod.other" + i);
            }
            List<String> loaded = await(profiler, "module + ", lines -> lines.size() >= 10);
            assertThat(loaded)
                    .extracting(line -> line.split(" ")[3])
                    .filteredOn(name -> name.startsWith("mod."))
                    .containsExactly(
                            "mod.same",
                            "mod.other0",
                            "mod.same",
                            "mod.other1",
                            "mod.same",
                            "mod.other2",
                            "mod.same",
                            "mod.other3",
                            "mod.same",
                            "mod.other4");
            assertThat(profiler.ask("modules").lines())
                    .contains("java.base", "mod.other4")
                    .doesNotContain("mod.before");
            jvm.ask("unload");
            Set<String> ids = loaded.stream()
                    .filter(line -> line.contains(" mod."))
                    .map(line -> line.split(" ")[2])
                    .collect(Collectors.toSet());
            assertThat(ids).hasSize(10);
            List<String> unloaded = await(profiler, "module - ", lines -> lines.size() >= 10);
            assertThat(unloaded).extracting(line -> line.split(" ")[2]).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(profiler.ask("modules").lines()).doesNotContain("mod.other4", "mod.same");
            assertThat(status(jvm).lost()).isZero();
            assertThat(status(jvm).jvmti()).isFalse();
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /** Returns the number of each collection that has a pause, and the suspension of the pause. */
    private static List<String> pauses(Attached profiler, List<String> suspensions) {
        Map<String, String> byNumber = new HashMap<>();
        for (String line : suspensions) {
            int colon = line.indexOf(": ");
            byNumber.put(line.substring("suspended ".length(), colon), line.substring(colon + 2));
        }
        try {
            return seen(profiler, "during ").stream()
                    .map(line -> line.split("[ :]+"))
                    .filter(words -> byNumber.containsKey(words[1]))
                    .map(words -> words[2] + " " + byNumber.get(words[1]))
                    .toList();
        } catch (AttachFailed e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the same from a log file of the JVM. */
    private static List<String> suspensionsOfPauses(Path log) throws Exception {
        List<String> all = new ArrayList<>();
        List<String> collections = new ArrayList<>();
        for (String line : Files.readAllLines(log)) {
            var pause = PAUSE.matcher(line);
            var safepoint = SAFEPOINT.matcher(line);
            if (pause.find()) {
                collections.add(pause.group(1));
            } else if (safepoint.find()) {
                for (String each : collections) {
                    all.add(each + " " + safepoint.group(1) + " " + safepoint.group(2));
                }
                collections.clear();
            }
        }
        return all;
    }
}
