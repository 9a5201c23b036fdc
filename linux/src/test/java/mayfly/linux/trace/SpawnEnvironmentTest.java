package mayfly.linux.trace;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SpawnEnvironmentTest {

    private static List<String> with(Map<String, String> changed, String... ours) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointers = arena.allocate(ADDRESS, ours.length + 1L);
            for (int i = 0; i < ours.length; i++) {
                pointers.setAtIndex(ADDRESS, i, arena.allocateFrom(ours[i], StandardCharsets.ISO_8859_1));
            }
            MemorySegment result = SpawnEnvironment.of(pointers, changed, arena);
            List<String> variables = new ArrayList<>();
            for (long i = 0; i < result.byteSize() / ADDRESS.byteSize() - 1; i++) {
                variables.add(result.getAtIndex(ADDRESS, i)
                        .reinterpret(Long.MAX_VALUE)
                        .getString(0, StandardCharsets.ISO_8859_1));
            }
            assertThat(result.getAtIndex(ADDRESS, variables.size())).isEqualTo(MemorySegment.NULL);
            return variables;
        }
    }

    @Test
    void changedVariableReplacesTheOneOfThisProcess() {
        assertThat(with(Map.of("B", "3"), "A=1", "B=2", "BB=4")).containsExactly("A=1", "BB=4", "B=3");
    }

    @Test
    void unchangedVariablesKeepTheirBytes() {
        assertThat(with(Map.of("C", ""), "A=\u00fc\u00ff=", "noValue"))
                .containsExactly("A=\u00fc\u00ff=", "noValue", "C=");
    }

    @Test
    void emptyEnvironmentGetsTheAddedVariablesOnly() {
        assertThat(with(Map.of())).isEmpty();
        assertThat(with(Map.of("A", "b c"))).containsExactly("A=b c");
    }
}
