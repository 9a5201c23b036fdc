package mayfly.hotspot.heap;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.tables.JdkRules;
import org.junit.jupiter.api.Test;

class InstanceFieldsTest {
    private static InstanceFields fields(ForgedVm vm, String... names) throws Exception {
        ForgedHeap heap = new ForgedHeap(vm, Shape.NARROW);
        long klass = heap.klassOf("org/example/Waiter", names);
        return new InstanceFields(vm.memory, vm.layout(), JdkRules.of(vm.feature), klass);
    }

    @Test
    void fieldsThatTheVmAddsHaveNoNamesAndAreInTheirOrder() throws Exception {
        InstanceFields fields = fields(ForgedVm.jdk25(), "first", "second");
        assertThat(fields.injected()).containsExactly(200, 208, 212);
        assertThat(fields.offset("second")).isEqualTo(24);
    }

    @Test
    void fieldsThatTheVmAddsAreNotReadFromTheArrayOfAnOldJdk() throws Exception {
        InstanceFields fields = fields(ForgedVm.jdk17(), "first");
        assertThat(fields.injected()).isEmpty();
        assertThat(fields.offset("first")).isEqualTo(16);
    }
}
