package mayfly.linux.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnedTest {
    private final List<String> closed = new ArrayList<>();

    private AutoCloseable resource(String name) {
        return () -> closed.add(name);
    }

    @Test
    void resourcesThatAreNotReleasedAreClosedLastFirst() {
        try (Owned owned = new Owned()) {
            owned.add(resource("first"));
            owned.add(null);
            owned.add(resource("second"));
        }
        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void releasedResourcesStayOpenAndLaterOnesAreClosed() {
        try (Owned owned = new Owned()) {
            owned.add(resource("first"));
            assertThat(owned.release("owner")).isEqualTo("owner");
            owned.add(resource("second"));
        }
        assertThat(closed).containsExactly("second");
    }

    @Test
    void aResourceThatCannotBeClosedDoesNotKeepTheOthersOpen() {
        assertThatThrownBy(() -> {
                    try (Owned owned = new Owned()) {
                        owned.add(resource("first"));
                        owned.add(() -> {
                            throw new IOException("second");
                        });
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("second");
        assertThat(closed).containsExactly("first");
    }
}
