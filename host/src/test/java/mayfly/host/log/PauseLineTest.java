package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import mayfly.api.event.GarbageCollection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as JDK 17 and 25 have logged them. */
class PauseLineTest {
    private static final long MIB = 1 << 20;

    @Test
    void pauseWithSizesHasItsKindAndCause() {
        assertThat(PauseLine.parse("GC(8) Pause Young (Normal) (G1 Evacuation Pause) 6M->1M(10M) 3.184ms", 0))
                .isEqualTo(new GarbageCollection(
                        8,
                        "Young (Normal)",
                        "G1 Evacuation Pause",
                        Duration.ofNanos(3_184_000),
                        OptionalLong.of(6 * MIB),
                        OptionalLong.of(MIB),
                        OptionalLong.of(10 * MIB),
                        OptionalLong.empty()));
    }

    @Test
    void pauseWithoutSizesHasNoCause() {
        assertThat(PauseLine.parse("GC(2) Pause Init Mark (unload classes) 0.006ms", 0))
                .isEqualTo(new GarbageCollection(
                        2,
                        "Init Mark (unload classes)",
                        "",
                        Duration.ofNanos(6_000),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty()));
    }

    @Test
    void pauseHasItsSuspensionIfThatIsKnown() {
        assertThat(PauseLine.parse("GC(3) Pause Mark End 0.010ms", 7))
                .extracting(GarbageCollection::suspension)
                .isEqualTo(OptionalLong.of(7));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GC(10) Pause Full (System.gc()) 3M->1M(10M) 2.238ms           | Full               | System.gc()",
                "GC(6) Pause Young (System.gc()) 12M->0M(61M) 0.293ms          | Young              | System.gc()",
                "GC(4) Pause Young (Allocation Failure) 33M->1M(123M) 3.4ms    | Young              | Allocation"
                        + " Failure",
                "GC(1) Pause Remark 5M->5M(20M) 1.2ms                          | Remark             | ''",
                "GC(1) Pause Cleanup 5M->5M(20M) 0.012ms                       | Cleanup            | ''",
                "GC(5) Y: Pause Mark Start (Major) 0.005ms                     | Mark Start (Major) | ''",
                "GC(3) Pause Mark End 0.010ms                                  | Mark End           | ''",
                "GC(3) Pause Young (Concurrent Start) (G1 Humongous Allocation) 812K->2G(4G) 12.000ms"
                        + "| Young (Concurrent Start) | G1 Humongous Allocation",
            })
    void eachCollectorsPauseIsUnderstood(String line, String kind, String cause) {
        assertThat(PauseLine.parse(line, 0)).satisfies(pause -> {
            assertThat(pause.kind()).isEqualTo(kind);
            assertThat(pause.cause()).isEqualTo(cause);
            assertThat(pause.pause()).isPositive();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "GC(",
                "GC() Pause Full 1.000ms",
                "GC(x) Pause Full 1.000ms",
                "GC(1) Pause ",
                "GC(1) Pause Full",
                "GC(1) Pause Full 1.000",
                "GC(1) Pause Full 1ms",
                "GC(1) Pause Full -1.000ms",
                "GC(1) Pause Full 99999999999.000ms",
                "GC(1) Pause Full 1.0000000ms",
                "GC(99999999999999999999) Pause Full 1.000ms",
                "GC(8)   Evacuate Collection Set: 2.9ms",
            })
    void otherLineIsNotAPause(String line) {
        assertThat(PauseLine.parse(line, 0)).isNull();
    }

    /** The words are then part of the kind. */
    @ParameterizedTest
    @ValueSource(strings = {"1M->2M", "M->2M(3M)", "1M->2M(3M", "1X->2M(3M)", "99999999999G->2M(3M)", "1M-> (3M)"})
    void malformedSizesAreNoSizes(String sizes) {
        assertThat(PauseLine.parse("GC(1) Pause Full (System.gc()) " + sizes + " 1.000ms", 0))
                .satisfies(pause -> assertThat(pause.usedBefore()).isEmpty());
    }
}
