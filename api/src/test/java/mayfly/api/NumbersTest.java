package mayfly.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The numbers that processes with different versions of Mayfly exchange. Rows may be added, but a row never changes.
 */
class NumbersTest {

    @Test
    void eventsHaveTheirReleasedNumbers() {
        Map<String, Integer> numbers =
                Arrays.stream(Event.values()).collect(Collectors.toMap(Event::name, Event::number));
        assertThat(numbers)
                .containsOnly(
                        Map.entry("THREADS", 0),
                        Map.entry("CLASS_LOADS", 1),
                        Map.entry("GARBAGE_COLLECTIONS", 2),
                        Map.entry("COMPILED_METHODS", 3),
                        Map.entry("MODULE_LOADS", 4),
                        Map.entry("SUSPENSIONS", 5),
                        Map.entry("STACK_SNAPSHOTS", 6),
                        Map.entry("EXCEPTIONS", 7),
                        Map.entry("ALLOCATIONS", 8),
                        Map.entry("MONITORS", 9),
                        Map.entry("METHOD_PROBES", 11),
                        Map.entry("COMPILATIONS", 10),
                        Map.entry("CLASS_LOAD_STARTS", 12),
                        Map.entry("DEOPTIMIZATIONS", 13),
                        Map.entry("VIRTUAL_THREADS", 14));
    }

    @Test
    void aBitOfAMaskBelongsToOneEvent() {
        assertThat(Arrays.stream(Event.values()).map(Event::number))
                .doesNotHaveDuplicates()
                .allSatisfy(number -> assertThat(number).isBetween(0, 31));
    }

    @Test
    void statusesHaveTheirReleasedNumbers() {
        assertThat(Arrays.stream(Status.values()).map(status -> status.number() + " " + status.name()))
                .containsExactly(
                        "0 OK",
                        "1 FAILED",
                        "2 PROFILER_ALREADY_ACTIVE",
                        "3 UNSUPPORTED_FOR_ATTACHING_PROFILER",
                        "4 IMMUTABLE_FLAGS",
                        "5 PROFILER_DETACHING",
                        "6 NOT_YET_INITIALIZED",
                        "7 IRREVERSIBLE_INSTRUMENTATION",
                        "8 PROFILER_CANCEL_ACTIVATION",
                        "9 TIMEOUT",
                        "10 RUNTIME_NOT_LOADED",
                        "11 RUNTIME_SUSPENDED",
                        "12 ATTACH_REFUSED",
                        "13 LASTING_COST_NOT_ACCEPTED",
                        "14 STACK_SNAPSHOT_ABORTED",
                        "15 STACK_SNAPSHOT_UNSAFE",
                        "16 STACK_SNAPSHOT_UNMANAGED_CONTEXT",
                        "17 THREAD_GONE",
                        "18 NO_PROFILER",
                        "19 UNKNOWN_ID",
                        "20 STACK_SNAPSHOT_TRUNCATED");
    }
}
