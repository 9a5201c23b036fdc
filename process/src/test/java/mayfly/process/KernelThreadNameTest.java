package mayfly.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KernelThreadNameTest {
    @Test
    void shortNameIsUnchanged() {
        assertThat(KernelThreadName.of("main")).containsExactly("main");
        assertThat(KernelThreadName.of("fifteen letters")).containsExactly("fifteen letters");
    }

    @Test
    void longNameIsTruncatedAtItsEndOrInItsMiddle() {
        assertThat(KernelThreadName.of("Reference Handler"))
                .containsExactlyInAnyOrder("Reference Handl", "Referen..andler");
        assertThat(KernelThreadName.of("pool-1-thread-1-of-server"))
                .containsExactlyInAnyOrder("pool-1-thread-1", "pool-1-..server");
        assertThat(KernelThreadName.of("Loading.........")).containsExactly("Loading........");
    }
}
