package mayfly.e2e;

import static mayfly.api.event.Delivery.ASYNCHRONOUS;
import static mayfly.api.event.Delivery.SYNCHRONOUS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.event.Delivery;
import mayfly.attach.client.Acceptance;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Requirement;
import mayfly.profilers.testing.EachCallbackProfiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each event alone, in each delivery: a profiler receives its callbacks, and no others. */
class SubscriptionsTest {
    /** The callbacks of each event in each delivery; the test waits for the first of them. */
    private static final Map<Event, Map<Delivery, List<String>>> CALLBACKS = Map.ofEntries(
            Map.entry(Event.THREADS, either("threadCreated", "threadDestroyed")),
            Map.entry(
                    Event.VIRTUAL_THREADS, Map.of(SYNCHRONOUS, List.of("virtualThreadStarted", "virtualThreadEnded"))),
            Map.entry(Event.CLASS_LOADS, either("classLoaded", "classUnloaded", "loaderUnloaded")),
            Map.entry(Event.CLASS_LOAD_STARTS, Map.of(SYNCHRONOUS, List.of("classLoadStarted"))),
            Map.entry(
                    Event.GARBAGE_COLLECTIONS,
                    Map.of(
                            SYNCHRONOUS,
                            List.of("garbageCollectionStarted", "garbageCollectionFinished"),
                            ASYNCHRONOUS,
                            List.of("garbageCollected", "garbageCollectionStarted", "garbageCollectionFinished"))),
            Map.entry(Event.COMPILED_METHODS, Map.of(SYNCHRONOUS, List.of("methodCompiled", "methodUnloaded"))),
            Map.entry(Event.COMPILATIONS, Map.of(ASYNCHRONOUS, List.of("methodInstalled", "compilationStarted"))),
            Map.entry(Event.DEOPTIMIZATIONS, Map.of(ASYNCHRONOUS, List.of("methodDeoptimized"))),
            Map.entry(Event.MODULE_LOADS, either("moduleLoaded", "moduleUnloaded")),
            Map.entry(Event.SUSPENSIONS, Map.of(ASYNCHRONOUS, List.of("runtimeSuspended"))),
            // The event permits calls and has no callback.
            Map.entry(Event.STACK_SNAPSHOTS, Map.of(SYNCHRONOUS, List.of())),
            Map.entry(Event.EXCEPTIONS, Map.of(SYNCHRONOUS, List.of("exceptionThrown", "exceptionCaught"))),
            Map.entry(
                    Event.ALLOCATIONS,
                    Map.of(SYNCHRONOUS, List.of("allocationSampled"), ASYNCHRONOUS, List.of("allocationObserved"))),
            Map.entry(
                    Event.MONITORS,
                    Map.of(
                            SYNCHRONOUS,
                            List.of("waitStarted", "waitFinished", "contentionStarted", "contentionFinished"),
                            ASYNCHRONOUS,
                            List.of("contentionObserved"))),
            Map.entry(Event.METHOD_PROBES, Map.of(SYNCHRONOUS, List.of("methodEntered", "methodLeft"))));

    /** The callbacks that belong to no event. */
    private static final Set<String> OTHERS = Set.of(
            "initialize",
            "initializeForAttach",
            "profilerAttachComplete",
            "timer",
            "command",
            "detachRequested",
            "profilerDetachSucceeded",
            "shutdown");

    /** The commands that make the program cause the events; its other causes run all the time. */
    private static final List<String> CAUSES =
            List.of("thread another", "stay another", "virtual", "load", "break", "module another", "assume", "unload");

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private static Map<Delivery, List<String>> either(String... callbacks) {
        return Map.of(SYNCHRONOUS, List.of(callbacks), ASYNCHRONOUS, List.of(callbacks));
    }

    private static Map<Delivery, List<String>> row(Event event) {
        assertThat(CALLBACKS).as("the callbacks of %s need a row", event).containsKey(event);
        return CALLBACKS.get(event);
    }

    @Test
    void eachEventHasARowWithEachOfItsDeliveries() {
        for (Event event : Event.values()) {
            for (Delivery delivery : Delivery.values()) {
                if (event.canBe(delivery)) {
                    assertThat(row(event))
                            .as("the callbacks of %s", event)
                            .hasEntrySatisfying(
                                    delivery, callbacks -> assertThat(callbacks).isNotEmpty());
                }
            }
        }
    }

    @Test
    void eachCallbackIsCountedAndBelongsToAnEventOrToNone() {
        Set<String> known = new HashSet<>(OTHERS);
        CALLBACKS.values().forEach(row -> row.values().forEach(known::addAll));
        assertThat(defaultMethods(Profiler.class))
                .as("each callback is in the row of its event")
                .containsExactlyInAnyOrderElementsOf(known);
        Set<String> uncounted = defaultMethods(EachCallbackProfiler.class);
        uncounted.removeAll(OTHERS);
        assertThat(uncounted)
                .as("callbacks that the profiler does not count: the host does not call the short form of this one")
                .containsExactly("threadCreated");
    }

    private static Set<String> defaultMethods(Class<? extends Profiler> type) {
        return Arrays.stream(type.getMethods())
                .filter(Method::isDefault)
                .map(Method::getName)
                .collect(Collectors.toCollection(HashSet::new));
    }

    private static boolean isPossible(Event event, Delivery delivery, Jdk jdk) {
        return event.isAllowedAfterAttach()
                && event.since() <= jdk.feature()
                && row(event).containsKey(delivery);
    }

    private Path jar() throws Exception {
        return ProfilerJars.jar(
                folder.resolve("each.jar"),
                ProfilerJars.manifest(EachCallbackProfiler.class.getName(), "1", ProfilerJars.names(event -> true)));
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"R-08", "R-10"})
    void onlyTheSubscribedEventIsDelivered(Jdk jdk) throws Exception {
        // Without compilers in the background, each new class of the program has its trap.
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).with("-Xbatch").start()) {
            Attached profiler = Attached.by(Attached.request(jvm, jar(), ""));
            jvm.ask("churn");
            assertThat(jvm.ask("contend")).isEqualTo("started");
            for (Event event : Event.values()) {
                for (Delivery delivery : Delivery.values()) {
                    if (isPossible(event, delivery, jdk)) {
                        assertOnlyTheEventIsDelivered(jvm, profiler, event, delivery);
                    }
                }
            }
            jvm.ask("rest");
            profiler.detach();
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    private static void assertOnlyTheEventIsDelivered(Jvm jvm, Attached profiler, Event event, Delivery delivery)
            throws Exception {
        String subscription = event + " " + delivery;
        List<String> own = row(event).get(delivery);
        Map<String, Long> before = counts(profiler);
        assertThat(profiler.ask("mask " + subscription)).as(subscription).isEqualTo("OK");
        use(event, profiler);
        Deadline deadline = Deadline.in(EventLog.PATIENCE);
        do {
            deadline.check("%s: %s", subscription, counts(profiler));
            cause(jvm);
        } while (!own.isEmpty() && calls(own.getFirst(), counts(profiler)) == calls(own.getFirst(), before));
        assertThat(profiler.ask("mask")).as(subscription).isEqualTo("OK");
        profiler.awaitNoCallback();
        Map<String, Long> after = counts(profiler);
        cause(jvm);
        assertThat(counts(profiler))
                .as("after the subscription to %s", subscription)
                .isEqualTo(after);
        before.keySet().removeAll(own);
        after.keySet().removeAll(own);
        assertThat(after).as("during the subscription to %s", subscription).isEqualTo(before);
    }

    /** Makes the calls that an event permits and that cause callbacks. */
    private static void use(Event event, Attached profiler) throws Exception {
        switch (event) {
            case METHOD_PROBES ->
                assertThat(profiler.ask("probe mayfly.targets.ThreadAndClassChurn.*"))
                        .isNotEqualTo("0");
            case CLASS_LOADS -> assertThat(profiler.ask("loaders")).isNotEqualTo("0");
            default -> {}
        }
    }

    private static void cause(Jvm jvm) throws Exception {
        for (String command : CAUSES) {
            jvm.ask(command);
        }
    }

    private static Map<String, Long> counts(Attached profiler) throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        profiler.ask("counts").lines().forEach(line -> {
            String[] words = line.split(" ");
            counts.put(words[0], Long.valueOf(words[1]));
        });
        return counts;
    }

    private static long calls(String callback, Map<String, Long> counts) {
        return counts.getOrDefault(callback, 0L);
    }

    /** Exceptions cannot be had after an attach. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("R-08")
    void onlyExceptionsAreDeliveredToAProfilerLoadedAtLaunchThatSubscribesToThem(Jdk jdk) throws Exception {
        LaunchFiles files = LaunchFiles.temporary(
                new LaunchRequest(jar(), Optional.empty(), Attached.LIMIT, Set.of(Acceptance.LASTING_COST)));
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Dmayfly.testing.script=EXCEPTIONS SYNCHRONOUS")
                .environment("JAVA_TOOL_OPTIONS", files.option())
                .start()) {
            Attached profiler = Attached.launched(jvm);
            jvm.ask("churn");
            assertThat(jvm.ask("contend")).isEqualTo("started");
            Map<String, Long> before = counts(profiler);
            cause(jvm);
            Map<String, Long> after = counts(profiler);
            List<String> own = row(Event.EXCEPTIONS).get(SYNCHRONOUS);
            assertThat(own)
                    .allSatisfy(callback -> assertThat(calls(callback, after)).isGreaterThan(calls(callback, before)));
            assertThat(after.keySet()).isSubsetOf(own);
            assertThat(jvm.exit()).as(jvm.evidence()).isZero();
        } finally {
            files.remove();
        }
    }
}
