package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import mayfly.audit.Audit.Owner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verdicts on items that were added or removed. */
class AuditComparisonTest {

    private static List<AuditDifference> differences(AuditKind kind, Map<String, Long> before, Map<String, Long> after)
            throws Exception {
        return AuditComparison.of(Audits.with(kind, before), Audits.with(kind, after))
                .differences();
    }

    @Test
    void threadWithJavaNameEqualsThreadWithKernelName() throws Exception {
        Map<String, Long> byJava = Map.of("\"Attach Listener\"", 1L, "\"pool-1-thread-1 of the server\"", 2L, "\"", 1L);
        Map<String, Long> byKernel = Map.of("Attach Listener", 1L, "pool-1-thread-1", 2L, "\"", 1L);
        assertThat(differences(AuditKind.THREADS, byJava, byKernel)).isEmpty();
        assertThat(differences(AuditKind.THREADS, byKernel, byJava)).isEmpty();
        Map<String, Long> byKernelOf26 = Map.of("Attach Listener", 1L, "pool-1-..server", 2L, "\"", 1L);
        assertThat(differences(AuditKind.THREADS, byJava, byKernelOf26)).isEmpty();
    }

    @Test
    void additionalThreadWithKernelNameIsALeftover() throws Exception {
        assertThat(differences(AuditKind.THREADS, Map.of("\"Attach Listener\"", 1L), Map.of("Attach Listener", 2L)))
                .singleElement()
                .matches(difference -> difference.verdict() == Verdict.LEFTOVER && difference.came());
        assertThat(differences(AuditKind.DESCRIPTORS, Map.of("\"a\"", 1L), Map.of("a", 1L)))
                .hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "THREADS|Mayfly channel|LEFTOVER|MAYFLY",
                "THREADS|\"Mayfly host\"|LEFTOVER|MAYFLY",
                "THREADS|\"Attach Listener\"|LEFTOVER|UNKNOWN",
                "THREADS|GC Thread#1|CHANGED|UNKNOWN",
                "THREADS|\"pool-1-thread-1\"|CHANGED|UNKNOWN",
                "DESCRIPTORS|/memfd:mayfly-host-00007f0012345000 (deleted)|LEFTOVER|MAYFLY",
                "DESCRIPTORS|/tmp/mine.log|CHANGED|UNKNOWN",
                "MAPPINGS|/memfd:mayfly-library (deleted)|LEFTOVER|MAYFLY",
                "MAPPINGS|/tmp/.mayfly-0011223344556677/.mayfly-00112233445566778899aabbccddeeff.so|LEFTOVER|MAYFLY",
                "MAPPINGS|anonymous page MAYFLY-JVMTI-ANCHOR-1|ALLOWED|REMAINS",
                "MAPPINGS|/opt/jdk/lib/libinstrument.so|LEFTOVER|AGENT",
                "MAPPINGS|/opt/app/libown.so|CHANGED|UNKNOWN",
                "MAPPINGS|/var/tmp/.mayfly-0011223344556677/.mayfly-00112233445566778899aabbccddeeff.so"
                        + " (deleted)|LEFTOVER|MAYFLY",
                "SOCKETS|unix /tmp/.mayfly-7-0011223344556677/s listening|LEFTOVER|MAYFLY",
                "SOCKETS|unix /tmp/.java_pid7.tmp listening|LEFTOVER|UNKNOWN",
                "SOCKETS|tcp 0.0.0.0:80 listening|CHANGED|UNKNOWN",
                "FILES|/tmp/.mayfly-7-0011223344556677|LEFTOVER|MAYFLY",
                "FILES|/tmp/.java_pid7|LEFTOVER|UNKNOWN",
                "CLASS_LOADERS|java.security.SecureClassLoader, first class mayfly.host.MemoryLoader|LEFTOVER|MAYFLY",
                "CLASS_LOADERS|mayfly.targets.ThreadAndClassChurn$Loader, first class"
                        + " mayfly.targets.ThreadAndClassChurn$Guest|CHANGED|UNKNOWN",
                "CLASSES|com.example.ClassLoads in mayfly.host.MemoryLoader|LEFTOVER|MAYFLY",
                "CLASSES|[Ljava.lang.String; in boot|ALLOWED|UNKNOWN",
                "CLASSES|[[J in boot|ALLOWED|UNKNOWN",
                "CLASSES|java.lang.invoke.LambdaForm$MH in boot|ALLOWED|UNKNOWN",
                "CLASSES|r2: java.util.Timer in boot|ALLOWED|UNKNOWN",
                "CLASSES|sun.instrument.InstrumentationImpl in boot|LEFTOVER|AGENT",
                "CLASSES|com.example.Bridge in boot|LEFTOVER|AGENT",
                "CLASSES|java.lang.Fake in app|CHANGED|UNKNOWN",
                "CLASSES|mayfly.targets.Work in app|CHANGED|UNKNOWN",
                "TRANSFORMED_CLASSES|a.B in app, for probes|ALLOWED|REMAINS",
                "TRANSFORMED_CLASSES|redefinitions, for probes|ALLOWED|REMAINS",
                "TRANSFORMED_CLASSES|redefinitions since the JVM started|LEFTOVER|AGENT",
                "SIGNAL_HANDLERS|SIGPROF has a handler|LEFTOVER|UNKNOWN",
                "SIGNAL_HANDLERS|signal 62 has a handler|LEFTOVER|UNKNOWN",
                "SIGNAL_HANDLERS|signal 62 has a handler, and libnet or libnio is loaded|CHANGED|UNKNOWN",
                "MBEANS|java.lang:type=Runtime|ALLOWED|UNKNOWN",
                "MBEANS|java.lang:name=G1 Old Gen,type=MemoryPool|ALLOWED|UNKNOWN",
                "MBEANS|java.lang:type=GarbageCollector,name=Copy|ALLOWED|UNKNOWN",
                "MBEANS|java.nio:type=BufferPool,name=direct|ALLOWED|UNKNOWN",
                "MBEANS|java.lang:type=Runtimes|CHANGED|UNKNOWN",
                "MBEANS|java.lang:type=MemoryPool|CHANGED|UNKNOWN",
                "THREADS|\"Mayfly host\"|LEFTOVER|MAYFLY",
                "THREADS|\"Mayfly host\" of the program|CHANGED|UNKNOWN",
                "THREADS|\"Attach Listener\" of the program|CHANGED|UNKNOWN",
                "SIGNAL_HANDLERS|SIGPROF has a handler, and the flight recorder samples CPU time|CHANGED|UNKNOWN",
                "SIGNAL_HANDLERS|SIGWINCH has a handler, set in Java|CHANGED|UNKNOWN",
                "SIGNAL_HANDLERS|SIGINT is ignored, set in Java|CHANGED|UNKNOWN",
                "SIGNAL_HANDLERS|SIGINT is ignored|LEFTOVER|UNKNOWN",
                "JVMTI_ENVIRONMENTS|environment of the flight recorder|CHANGED|UNKNOWN",
                "FLAGS|FlightRecorder (management) = true|CHANGED|UNKNOWN",
                "THREADS|\"Attach Listener\" of the JVM|LEFTOVER|UNKNOWN",
                "THREADS|C2 CompilerThre of the JVM|CHANGED|UNKNOWN",
                "JVMTI_ENVIRONMENTS|empty environment, marked by Mayfly|ALLOWED|REMAINS",
                "JVMTI_ENVIRONMENTS|empty environment|LEFTOVER|AGENT",
                "JVMTI_ENVIRONMENTS|permanent: can_walk_any_space|ALLOWED|UNKNOWN",
                "JVMTI_ENVIRONMENTS|environment that calls memfd:mayfly-library|LEFTOVER|MAYFLY",
                "JVMTI_ENVIRONMENTS|environment that calls libjvm.so|CHANGED|UNKNOWN",
                "JVMTI_ENVIRONMENTS|environment that calls libjdwp.so|LEFTOVER|AGENT",
                "JVMTI_ENVIRONMENTS|disposed environment|CHANGED|UNKNOWN",
                "AGENTS|/opt/jdk/lib/libinstrument.so: Agent_OnAttach|LEFTOVER|AGENT",
                "AGENTS|/memfd:mayfly-library: Agent_OnAttach|LEFTOVER|MAYFLY",
                "AGENTS|/tmp/mayfly-launch-0011/libmayflylaunch.so: Agent_OnLoad|ALLOWED|REMAINS",
                "FLAGS|HeapDumpOnOutOfMemoryError (management) = true|LEFTOVER|UNKNOWN",
                "FLAGS|PrintConcurrentLocks (attach) = true|LEFTOVER|UNKNOWN",
                "FLAGS|ConcGCThreads (ergonomic) = 1|CHANGED|UNKNOWN",
                "SHUTDOWN_HOOKS|\"a\" (java.lang.Thread), runs a.B|CHANGED|UNKNOWN",
                "SHUTDOWN_HOOKS|\"Logging-Cleaner\" (java.util.logging.LogManager$Cleaner)|ALLOWED|UNKNOWN",
                "SHUTDOWN_HOOKS|\"JFR Shutdown Hook\" (java.lang.Thread), runs"
                        + " jdk.jfr.internal.ShutdownHook|ALLOWED|UNKNOWN",
                "SHUTDOWN_HOOKS|\"x\" (jdk.jfr.internal.ShutdownHook)|ALLOWED|UNKNOWN",
                "EXCEPTION_HANDLERS|default: a.B|CHANGED|UNKNOWN",
                "MBEANS|a.b:type=C|CHANGED|UNKNOWN",
                "MBEANS|java.lang:type=Memory|ALLOWED|UNKNOWN",
                "FLIGHT_RECORDINGS|1 \"x\" RUNNING|CHANGED|UNKNOWN",
                "LOG_OUTPUTS|stdout: all=warning,gc=info|CHANGED|UNKNOWN",
                "LOG_LEVELS|\"a\" = FINE|CHANGED|UNKNOWN",
                "LOG_LEVELS|\"\" = INFO|ALLOWED|UNKNOWN",
                "LOG_LEVELS|\"\" = FINE|CHANGED|UNKNOWN",
                "CHILD_PROCESSES|sleep|CHANGED|UNKNOWN",
                "SYSTEM_PROPERTIES|a.b = (1 chars, CRC-32 0011aabb)|CHANGED|UNKNOWN"
            })
    void newItemHasTheVerdictAndOwnerOfItsRule(AuditKind kind, String item, Verdict verdict, Owner owner)
            throws Exception {
        assertThat(differences(kind, Map.of(), Map.of(item, 1L)))
                .singleElement()
                .satisfies(difference -> {
                    assertThat(difference.verdict()).isEqualTo(verdict);
                    assertThat(difference.came()).isTrue();
                    assertThat(difference.reason()).isNotEmpty();
                });
        assertThat(Audits.with(kind, Map.of()).owner(kind, item)).isEqualTo(owner);
    }

    @Test
    void threadWithUnknownOwnerEqualsThreadWithKnownOwner() throws Exception {
        Map<String, Long> known = Map.of(
                "GC Thread#0 of the JVM",
                1L,
                "\"C2 CompilerThread0\" of the JVM",
                1L,
                "\"Common-Cleaner\" of the JDK",
                1L);
        Map<String, Long> unknown = Map.of("GC Thread#0", 1L, "C2 CompilerThre", 1L, "\"Common-Cleaner\"", 1L);
        assertThat(differences(AuditKind.THREADS, known, unknown)).isEmpty();
        assertThat(differences(AuditKind.THREADS, unknown, known)).isEmpty();
    }

    @Test
    void threadWithTheNameOfAVmThreadBelongsToTheProgram() throws Exception {
        for (String name : List.of("\"GC Thread#0\"", "\"C2 CompilerThread7\"", "\"Common-Cleaner\"", "VM Thread")) {
            assertThat(differences(AuditKind.THREADS, Map.of(), Map.of(name, 1L)))
                    .singleElement()
                    .extracting(AuditDifference::reason)
                    .as(name)
                    .isEqualTo(Rule.THREAD.reason());
        }
    }

    @Test
    void redefinitionsByAnEarlierAgentAreNoLeftover() throws Exception {
        Map<AuditKind, Map<String, Long>> agent =
                Map.of(AuditKind.JVMTI_ENVIRONMENTS, Map.of("environment that calls libinstrument.so", 1L));
        Map<AuditKind, Map<String, Long>> agentThatTransformed = Map.of(
                AuditKind.JVMTI_ENVIRONMENTS, Map.of("environment that calls libinstrument.so", 1L),
                AuditKind.TRANSFORMED_CLASSES, Map.of("a.B in app", 1L));
        Map<AuditKind, Map<String, Long>> recorder = Map.of(
                AuditKind.JVMTI_ENVIRONMENTS, Map.of("environment of the flight recorder", 1L),
                AuditKind.TRANSFORMED_CLASSES, Map.of("a.B in app", 1L));
        assertThat(AuditComparison.of(Audits.with(agent), Audits.with(agentThatTransformed))
                        .of(Verdict.LEFTOVER))
                .isEmpty();
        assertThat(AuditComparison.of(Audits.with(Map.of()), Audits.with(recorder))
                        .of(Verdict.LEFTOVER))
                .isEmpty();
        assertThat(AuditComparison.of(Audits.with(Map.of()), Audits.with(agentThatTransformed))
                        .of(Verdict.LEFTOVER))
                .extracting(AuditDifference::kind)
                .containsExactlyInAnyOrder(AuditKind.JVMTI_ENVIRONMENTS, AuditKind.TRANSFORMED_CLASSES);
    }

    /** Another kind of item in both audits, and a new item: the verdict on the new one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "AGENTS|/opt/app/libprobe.so: Agent_OnLoad|SIGNAL_HANDLERS|SIGPROF has a handler|CHANGED",
                "AGENTS|/opt/app/libprobe.so: Agent_OnLoad|CLASSES|com.example.Bridge in boot|CHANGED",
                "AGENTS|/opt/app/libprobe.so: Agent_OnLoad|CLASSES|sun.instrument.InstrumentationImpl$1 in"
                        + " boot|CHANGED",
                "AGENTS|/opt/app/libasyncProfiler.so: Agent_OnLoad|THREADS|Async-profiler S|CHANGED",
                "AGENTS|/opt/app/libprobe.so: Agent_OnLoad|JVMTI_ENVIRONMENTS|environment that calls"
                        + " libother.so|LEFTOVER",
                "AGENTS|/opt/app/libprobe.so: Agent_OnLoad|CLASSES|mayfly.host.MemoryLoader in x|LEFTOVER",
                "JVMTI_ENVIRONMENTS|environment that calls libinstrument.so|CLASSES|r1: a.B in boot|CHANGED",
                "JVMTI_ENVIRONMENTS|environment that calls libinstrument.so|TRANSFORMED_CLASSES|a.B in app|CHANGED",
                "AGENTS|/tmp/mayfly-launch-1/libmayflylaunch.so: Agent_OnLoad|SIGNAL_HANDLERS|SIGPROF has a"
                        + " handler|LEFTOVER",
                "AGENTS|/x.so: its symbols cannot be read: y|SIGNAL_HANDLERS|SIGPROF has a handler|LEFTOVER",
                "JVMTI_ENVIRONMENTS|empty environment, marked by Mayfly|TRANSFORMED_CLASSES|a.B in app|LEFTOVER",
                "MAPPINGS|/opt/app/libown.so|SIGNAL_HANDLERS|SIGPROF has a handler|LEFTOVER"
            })
    void newItemThatAnEarlierAgentMayHaveAddedIsNoLeftover(
            AuditKind kindOfCause, String cause, AuditKind kind, String item, Verdict verdict) throws Exception {
        Map<AuditKind, Map<String, Long>> before = Map.of(kindOfCause, Map.of(cause, 1L));
        Map<AuditKind, Map<String, Long>> after = kindOfCause == kind
                ? Map.of(kind, Map.of(cause, 1L, item, 1L))
                : Map.of(kindOfCause, Map.of(cause, 1L), kind, Map.of(item, 1L));
        assertThat(AuditComparison.of(Audits.with(before), Audits.with(after)).differences())
                .singleElement()
                .extracting(AuditDifference::item, AuditDifference::verdict)
                .containsExactly(item, verdict);
        assertThat(AuditComparison.of(Audits.with(Map.of()), Audits.with(after)).differences())
                .filteredOn(difference -> difference.item().equals(item))
                .extracting(AuditDifference::verdict)
                .as("without the cause in the first audit")
                .containsExactly(Verdict.LEFTOVER);
    }

    @Test
    void furtherClassInTheBootLoaderIsNoLeftover() throws Exception {
        Map<String, Long> one = Map.of("com.example.Bridge in boot", 1L);
        Map<String, Long> two = Map.of("com.example.Bridge in boot", 1L, "com.example.Other in boot", 1L);
        assertThat(differences(AuditKind.CLASSES, one, two))
                .singleElement()
                .extracting(AuditDifference::verdict, AuditDifference::reason)
                .containsExactly(Verdict.CHANGED, Rule.FURTHER_BOOT_CLASS.reason());
        assertThat(differences(AuditKind.CLASSES, Map.of("com.example.Gone in boot", 1L), one))
                .filteredOn(AuditDifference::came)
                .extracting(AuditDifference::verdict)
                .containsExactly(Verdict.LEFTOVER);
    }

    @Test
    void removedItemIsChangedAndNoLeftover() throws Exception {
        assertThat(differences(AuditKind.THREADS, Map.of("Mayfly host", 1L), Map.of()))
                .singleElement()
                .extracting(AuditDifference::verdict, AuditDifference::came)
                .containsExactly(Verdict.CHANGED, false);
    }

    @Test
    void higherCountOfAnItemIsADifference() throws Exception {
        assertThat(differences(
                        AuditKind.CLASS_LOADERS,
                        Map.of("a.Loader, first class a.B", 2L),
                        Map.of("a.Loader, first class a.B", 3L)))
                .singleElement()
                .isEqualTo(new AuditDifference(
                        AuditKind.CLASS_LOADERS,
                        "a.Loader, first class a.B",
                        2,
                        3,
                        Verdict.CHANGED,
                        Rule.LOADER.reason()));
        assertThat(differences(AuditKind.FILES, Map.of("x", 3L), Map.of("x", 3L)))
                .isEmpty();
    }

    @Test
    void secondMarkedEnvironmentIsALeftover() throws Exception {
        Map<String, Long> two = Map.of("empty environment, marked by Mayfly", 1L, "empty environment", 1L);
        assertThat(differences(AuditKind.JVMTI_ENVIRONMENTS, Map.of(), two))
                .extracting(AuditDifference::verdict)
                .containsExactlyInAnyOrder(Verdict.ALLOWED, Verdict.LEFTOVER);
    }

    @Test
    void unseenKindIsUncomparedRatherThanEmpty() throws Exception {
        Audit unseen = Audits.without(AuditKind.CLASSES, "it moves");
        AuditComparison now = AuditComparison.of(Audits.with(AuditKind.CLASSES, Map.of("a in app", 1L)), unseen);
        assertThat(now.uncompared()).containsExactly(Map.entry(AuditKind.CLASSES, "it moves"));
        assertThat(now.differences()).noneMatch(difference -> difference.kind() == AuditKind.CLASSES);
        AuditComparison before = AuditComparison.of(unseen, Audits.with(AuditKind.CLASSES, Map.of("a in app", 1L)));
        assertThat(before.uncompared())
                .containsExactly(Map.entry(AuditKind.CLASSES, "it was not seen before: it moves"));
    }

    @Test
    void comparisonWithAnotherProcessIsRefused() {
        Audit one = Audits.with(AuditKind.FILES, Map.of());
        Audit other = new Audit(
                new Audit.Identity(4711, 123_457, "0f1e2d3c-boot"), one.time(), one.runtimes(), one.sections());
        assertThatThrownBy(() -> AuditComparison.of(one, other))
                .isInstanceOf(AuditComparison.NotComparable.class)
                .hasMessageContaining("it is of another process: process 4711, started 1234.56 s after boot");
    }

    @Test
    void everyKindHasARuleForAnyItem() {
        for (AuditKind kind : AuditKind.values()) {
            assertThat(Rule.came(kind, "\n" + Audits.EVIL).reason()).isNotEmpty();
        }
    }
}
