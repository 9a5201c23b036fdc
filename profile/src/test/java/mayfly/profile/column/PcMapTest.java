package mayfly.profile.column;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PcMapTest {

    @Test
    void pcMapAgreesWithAHashMap() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            PcMap<String> map = new PcMap<>(100_000);
            Map<Long, String> model = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                long pc = pc(random, seed);
                switch (random.nextInt(2000)) {
                    case 0 -> {
                        map.clear();
                        model.clear();
                    }
                    default -> {
                        if (random.nextBoolean()) {
                            String value = "v" + i;
                            map.put(pc, value);
                            model.put(pc, value);
                        } else {
                            assertThat(map.get(pc))
                                    .as("seed %d, operation %d", seed, i)
                                    .isEqualTo(model.get(pc));
                        }
                    }
                }
                assertThat(map.size()).isEqualTo(model.size());
            }
            model.forEach((pc, value) -> assertThat(map.get(pc)).isEqualTo(value));
        }
    }

    /** Returns a random key. The seed selects dense or sparse keys, few or many, including 0 and −1. */
    private static long pc(Random random, int seed) {
        return switch (seed % 3) {
            case 0 -> random.nextInt(50) - 1;
            case 1 -> 0x7f00_0000_0000L + random.nextInt(5000) * 16L;
            default -> random.nextInt(3000) * 0x1_0000_0000L;
        };
    }

    @Test
    void fullPcMapIsCleared() {
        PcMap<Integer> map = new PcMap<>(3000);
        for (int i = 0; i < 3000; i++) {
            map.put(i, i);
        }
        assertThat(map.size()).isEqualTo(3000);
        assertThat(map.get(0)).isZero();
        map.put(-7, 5);
        assertThat(map.size()).isEqualTo(1);
        assertThat(map.get(0)).isNull();
        assertThat(map.get(-7)).isEqualTo(5);
    }
}
