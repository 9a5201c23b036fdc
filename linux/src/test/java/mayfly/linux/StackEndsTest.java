package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("privileged")
class StackEndsTest {
    /** As a recording is that one thread opens and another runs. */
    @Test
    void areToldByAnotherThreadThanMadeThem() {
        try (StackEnds ends = create(); var executor = Executors.newSingleThreadExecutor()) {
            assertThat(ends.number()).isPositive();
            assertThatCode(() -> CompletableFuture.runAsync(() -> ends.put(1, 0x7fff_0000_0000L), executor).get())
                    .doesNotThrowAnyException();
        }
    }

    private static StackEnds create() {
        try {
            return StackEnds.create();
        } catch (ErrnoException e) {
            return abort("bpf(2) is not permitted: " + e.getMessage());
        }
    }
}
