package mayfly.linux.bpf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import mayfly.linux.sys.ErrnoException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("privileged")
class StackEndsTest {
    /** One thread opens the ends and another uses them, as in a recording. */
    @Test
    void stackEndsAcceptEntriesFromAnotherThread() {
        try (StackEnds ends = create();
                var executor = Executors.newSingleThreadExecutor()) {
            assertThat(ends.number()).isPositive();
            assertThatCode(() -> CompletableFuture.runAsync(() -> ends.put(1, 0x7fff_0000_0000L), executor)
                            .get())
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
