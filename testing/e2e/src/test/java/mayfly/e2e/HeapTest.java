package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.audit.Audit;
import mayfly.audit.Audit.Owner;
import mayfly.audit.AuditComparison;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.CodeProfiler;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The heap as a profiler inside a JVM sees it; the program knows how many objects it has. */
class HeapTest {
    private static final String LEAKY = "mayfly.targets.LeakyLoaders";

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private Attached attach(Jvm jvm, String events, Acceptance... accepted) throws Exception {
        Path jar = ProfilerJars.jar(
                folder.resolve("heap.jar"), ProfilerJars.manifest(CodeProfiler.class.getName(), "1", events));
        return Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                jar,
                Optional.empty(),
                Optional.of(events.getBytes(StandardCharsets.UTF_8)),
                Attached.LIMIT,
                accepted));
    }

    private static void assertNothingLeft(Jvm jvm) throws Exception {
        assertThat(Audit.of(Math.toIntExact(jvm.pid())).of(Owner.MAYFLY)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void histogramHasTheProgramsCountsWithoutJvmti(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).start()) {
            Attached profiler = attach(jvm, "STACK_SNAPSHOTS");
            jvm.ask("hold 1234");
            String rows = profiler.ask("histogram");
            assertThat(rows.lines()).contains(LEAKY + "$Held - 1234 " + 1234 * 16);
            assertThat(rows).containsPattern("(?m)^java\\.lang\\.String java\\.lang\\.String [1-9]\\d* [1-9]\\d*$");
            assertThat(rows).containsPattern("(?m)^\\[B \\[B [1-9]\\d* [1-9]\\d*$");
            assertThat(profiler.ask("element [B")).isEqualTo("byte 0 0");
            jvm.ask("hold 6");
            assertThat(profiler.ask("histogram").lines()).contains(LEAKY + "$Held - 1240 " + 1240 * 16);
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isFalse();
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void histogramHasTheIdsOfClassesWhoseNameIsUnique(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS", Acceptance.LASTING_COST);
            jvm.ask("hold 10");
            jvm.ask("static one");
            assertThat(profiler.ask("histogram").lines())
                    .contains(LEAKY + "$Held " + LEAKY + "$Held 10 160", LEAKY + "$Guest " + LEAKY + "$Guest 1 16");
            jvm.ask("static two");
            assertThat(profiler.ask("histogram").lines().filter((LEAKY + "$Guest - 1 16")::equals))
                    .hasSize(2);
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    /** The fields are those of the program's source and of the JDK; the array of a list has the list's objects. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("I-05")
    void referencesBetweenClassesAreThoseOfTheProgram(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS", Acceptance.LASTING_COST);
            jvm.ask("hold 1234");
            jvm.ask("static one");
            jvm.ask("static two");
            List<String> counts = profiler.ask("references 60000").lines().toList();
            assertThat(counts)
                    .contains("[Ljava.lang.Object; " + LEAKY + "$Held ARRAY_ELEMENT 1234 " + 1234 * 16)
                    .anyMatch(row -> row.startsWith(LEAKY + "$Held java.lang.Class CLASS 1234 "))
                    .anyMatch(row -> row.startsWith(LEAKY + " java.util.ArrayList STATIC_FIELD 2 "))
                    .anyMatch(row -> row.startsWith(LEAKY + " java.util.HashMap STATIC_FIELD 1 "))
                    .anyMatch(row -> row.startsWith("java.util.HashMap [Ljava.util.HashMap$Node; FIELD "))
                    .anyMatch(row -> row.startsWith("- java.lang.Thread THREAD "));
            // Two classes of one name, of different loaders.
            assertThat(counts.stream()
                            .filter(row -> row.startsWith("java.util.HashMap$Node " + LEAKY + "$Guest FIELD 1 16")))
                    .hasSize(2);
            assertThat(counts.stream()
                            .filter(row -> row.startsWith(LEAKY + "$Guest " + LEAKY + "$Loader CLASS_LOADER 1 ")))
                    .hasSize(2);
            jvm.ask("hold 6");
            assertThat(profiler.ask("references 60000").lines())
                    .contains("[Ljava.lang.Object; " + LEAKY + "$Held ARRAY_ELEMENT 1240 " + 1240 * 16);
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("I-05")
    void visitOfTheHeapThatTakesTooLongOrIsNotPermittedIsRefused(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx256m").start()) {
            jvm.ask("hold 1000000");
            Attached profiler = attach(jvm, "CLASS_LOADS", Acceptance.LASTING_COST);
            assertThat(profiler.ask("references 1")).isEqualTo("FAILED");
            assertThat(profiler.ask("references 0")).isEqualTo("FAILED");
            assertThat(profiler.ask("references -1")).isEqualTo("FAILED");
            assertThat(profiler.ask("references 60001")).isEqualTo("FAILED");
            assertThat(profiler.ask("references 60000"))
                    .contains("[Ljava.lang.Object; " + LEAKY + "$Held ARRAY_ELEMENT 1000000 16000000");
            profiler.detach();
            assertNothingLeft(jvm);
        }
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, "STACK_SNAPSHOTS");
            String outcome = profiler.ask("references 60000");
            if (jdk.feature() >= 21) {
                assertThat(outcome).isEqualTo("LASTING_COST_NOT_ACCEPTED");
            } else {
                assertThat(outcome).contains(LEAKY);
            }
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    /** The fields are those of the program's source and of the JDK. */
    @ParameterizedTest
    @MethodSource("jdks")
    void pathToALoaderHasTheFieldsThatRetainIt(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS", Acceptance.LASTING_COST);
            jvm.ask("static one");
            List<String> path = profiler.ask("path " + LEAKY + "$Guest").lines().toList();
            assertThat(path)
                    .containsSubsequence(
                            "STATIC_FIELD registry -1 java.util.HashMap - false",
                            "FIELD table -1 [Ljava.util.HashMap$Node; - false")
                    .anyMatch(step -> step.startsWith("ARRAY_ELEMENT - ") && step.contains("java.util.HashMap$Node"))
                    .contains("FIELD value -1 " + LEAKY + "$Guest - false")
                    .last()
                    .asString()
                    .startsWith("CLASS_LOADER ")
                    .contains(" " + LEAKY + "$Loader - ");
            jvm.ask("forget");
            Deadline deadline = Deadline.in(Attached.LIMIT);
            while (profiler.count("class unloaded") == 0) { // otherwise there are two classes of that name
                deadline.check("the first loader stays");
                jvm.ask("collect");
            }
            jvm.ask("thread-local");
            String local = profiler.ask("path " + LEAKY + "$Guest");
            while (!local.contains("threadLocals")) {
                deadline.check("another path: %s", local); // until the frames that kept it have ended
                local = profiler.ask("path " + LEAKY + "$Guest");
            }
            assertThat(local)
                    .contains(
                            "FIELD threadLocals -1 java.lang.ThreadLocal$ThreadLocalMap - false\n",
                            "FIELD value -1 " + LEAKY + "$Guest - false\n");
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void loaderThatIsOnlyWeaklyReferencedHasNoPath(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, "CLASS_LOADS", Acceptance.LASTING_COST);
            jvm.ask("weak");
            assertThat(profiler.ask("path " + LEAKY + "$Guest")).isEqualTo("none");
            assertThat(profiler.ask("path java.lang.String")).endsWith(" java.lang.Class java.lang.String false");
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void searchForAPathWithoutConsentIsRefusedIfJvmtiHasALastingCost(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            Attached profiler = attach(jvm, "STACK_SNAPSHOTS");
            assertThat(profiler.ask("path-of-seen"))
                    .isEqualTo(jdk.feature() >= 21 ? "LASTING_COST_NOT_ACCEPTED" : "OK");
            assertThat(ProfilerClient.status(Math.toIntExact(jvm.pid()))
                            .orElseThrow()
                            .jvmti())
                    .isEqualTo(jdk.feature() < 21);
            profiler.detach();
            assertNothingLeft(jvm);
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-11", "I-04"})
    void requestedCollectionCollectsAlsoIfTheProgramsOwnRequestsAreDisabled(Jdk jdk) throws Exception {
        for (String option : List.of("-XX:+UseSerialGC", "-XX:+DisableExplicitGC", "-XX:+UseZGC")) {
            try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with(option).start()) {
                Attached profiler = attach(jvm, "");
                assertThat(profiler.ask("collect")).as(option).isEqualTo("COLLECTED");
                profiler.detach();
                assertNothingLeft(jvm);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("D-13")
    void allQuestionsLeaveOnlyWhatIsAllowed(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders").on(jdk).with("-Xmx64m").start()) {
            jvm.ask("static one");
            jvm.ask("thread-local");
            jvm.ask("collect");
            Audit before = Audit.of(Math.toIntExact(jvm.pid()));
            Attached profiler = attach(jvm, "CLASS_LOADS, STACK_SNAPSHOTS", Acceptance.LASTING_COST);
            assertThat(profiler.ask("every 1")).isEqualTo("OK");
            // The class has no field.
            assertThat(profiler.ask("keep " + LEAKY + "$Guest")).isEqualTo("OK OK OK OK OK OK OK OK UNKNOWN_ID");
            assertThat(profiler.ask("methods " + LEAKY)).contains("main(");
            assertThat(profiler.ask("structure java.lang.String")).contains("java.lang.Object");
            assertThat(profiler.ask("all-threads")).contains("worker|WAITING|");
            assertThat(profiler.ask("histogram")).contains(LEAKY);
            assertThat(profiler.ask("collect")).isEqualTo("COLLECTED");
            assertThat(profiler.ask("path " + LEAKY + "$Guest")).contains("CLASS_LOADER ");
            profiler.detach();
            Audit after = Audit.of(Math.toIntExact(jvm.pid()));
            assertThat(after.of(Owner.MAYFLY)).isEmpty();
            assertThat(AuditTest.notAllowed(AuditComparison.of(before, after))).isEmpty();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void requestedCollectionInAJvmThatNeverCollectsIsIgnored(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("LeakyLoaders")
                .on(jdk)
                .with("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC")
                .start()) {
            Attached profiler = attach(jvm, "", Acceptance.REMAINING_CLASSES);
            assertThat(profiler.ask("collect")).isEqualTo("IGNORED");
            profiler.detach();
        }
    }
}
