package mayfly.hotspot.virtual;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressSetTest {

    @Test
    void setHasEachAddressOnceInTheOrderOfItsFirstAddition() {
        AddressSet set = new AddressSet();
        Set<Long> expected = new LinkedHashSet<>();
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            long address = 8L * (1 + random.nextInt(5_000));
            assertThat(set.add(address)).isEqualTo(expected.add(address));
        }
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < set.size(); i++) {
            all.add(set.get(i));
        }
        assertThat(all).containsExactlyElementsOf(expected);
    }
}
