package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongTableTest {
    private final LongTable<String> table = new LongTable<>();

    /** Addresses of Klasses are multiples of 8 or 1024, and numbers of classes are negative. */
    @ParameterizedTest
    @ValueSource(longs = {1, -1, 8, 1024, 1L << 32, Long.MAX_VALUE / 4096})
    void tableHasTheEntriesOfAMap(long step) {
        Map<Long, String> expected = new HashMap<>();
        Random random = new Random(step);
        for (int i = 0; i < 20_000; i++) {
            long key = step * random.nextInt(2000);
            if (random.nextInt(5) < 2) {
                assertThat(table.remove(key)).isEqualTo(expected.remove(key));
            } else {
                assertThat(table.put(key, "v" + i)).isEqualTo(expected.put(key, "v" + i));
            }
            long other = step * random.nextInt(2000);
            assertThat(table.get(other)).isEqualTo(expected.get(other));
        }
        for (int i = 0; i < 2000; i++) {
            assertThat(table.get(step * i)).isEqualTo(expected.get(step * i));
        }
    }

    @Test
    void valuesAreThoseOfTheEntries() {
        table.put(8, "a");
        table.put(16, "b");
        table.put(8, "c");
        table.put(24, "d");
        table.remove(16);
        List<Object> values = new ArrayList<>();
        table.addValuesTo(values);
        assertThat(values).containsExactlyInAnyOrder("c", "d");
    }

    @Test
    void clearedTableIsEmpty() {
        for (int i = 0; i < 1000; i++) {
            table.put(i, "x");
        }
        table.clear();
        for (int i = 0; i < 1000; i++) {
            assertThat(table.get(i)).isNull();
            assertThat(table.remove(i)).isNull();
        }
        assertThat(table.put(0, "y")).isNull();
        assertThat(table.get(0)).isEqualTo("y");
    }
}
