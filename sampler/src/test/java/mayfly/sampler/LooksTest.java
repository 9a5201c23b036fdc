package mayfly.sampler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LooksTest {
    private final List<String> problems = new ArrayList<>();

    @Test
    void lookThatFailsIsLeftOutAndTheNextOneSucceeds() {
        Looks looks = new Looks(problems::add);
        assertThat(looks.at(1, () -> {
            throw new OutOfMemoryError("all of it");
        })).isEmpty();
        assertThat(looks.at(2, () -> {
            throw new IllegalStateException("torn");
        })).isEmpty();
        assertThat(looks.at(3, () -> "seen")).contains("seen");
        assertThat(problems).hasSize(2).first().asString().contains("process 1 was left out", "all of it");
    }

    @Test
    void lookThatDoesNotEndIsLeftOutAndTheNextOneSucceeds() {
        CountDownLatch never = new CountDownLatch(1);
        Looks looks = new Looks(problems::add, Duration.ofMillis(50));
        assertThat(looks.at(7, () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "late";
        })).isEmpty();
        assertThat(problems).singleElement().asString().contains("process 7 was left out", "did not end");
        never.countDown();
        Looks patient = new Looks(problems::add);
        assertThat(patient.at(8, () -> "seen")).contains("seen");
    }
}
