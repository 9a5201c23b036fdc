package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TimedInspectionsTest {
    private final List<String> problems = new ArrayList<>();
    private final List<Integer> alarms = new ArrayList<>();

    @Test
    void processWhoseInspectionFailsIsSkipped() {
        TimedInspections looks = new TimedInspections(problems::add);
        assertThat(looks.at(1, () -> {
                    throw new OutOfMemoryError("all of it");
                }))
                .isEmpty();
        assertThat(looks.at(2, () -> {
                    throw new IllegalStateException("torn");
                }))
                .isEmpty();
        assertThat(looks.at(3, () -> "seen")).contains("seen");
        assertThat(problems).hasSize(2).first().asString().contains("process 1 was left out", "all of it");
    }

    @Test
    void processWhoseInspectionHangsIsSkipped() {
        CountDownLatch never = new CountDownLatch(1);
        TimedInspections looks = new TimedInspections(problems::add, Duration.ofMillis(50), alarms::add);
        assertThat(looks.at(7, () -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return "late";
                }))
                .isEmpty();
        assertThat(problems).singleElement().asString().contains("process 7 was left out", "did not end");
        looks.end();
        assertThat(alarms)
                .as("set, and not cancelled")
                .singleElement()
                .asString()
                .isNotEqualTo("0");
        never.countDown();
        TimedInspections patient = new TimedInspections(problems::add);
        assertThat(patient.at(8, () -> "seen")).contains("seen");
    }

    /** With less time, every process after one that does not respond would be left out on a busy machine. */
    @Test
    @Tag("slow")
    void inspectionAfterAHangingOneGetsHalfOfTheRemainingTime() {
        CountDownLatch never = new CountDownLatch(1);
        TimedInspections looks = new TimedInspections(problems::add, Duration.ofSeconds(2), alarms::add);
        looks.at(7, () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "late";
        });
        assertThat(problems).singleElement().asString().contains("did not end in 1000 ms");
        problems.clear();
        looks.at(8, () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "late";
        });
        assertThat(problems).singleElement().asString().contains("did not end in 500 ms");
        never.countDown();
    }
}
