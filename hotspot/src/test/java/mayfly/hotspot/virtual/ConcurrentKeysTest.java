package mayfly.hotspot.virtual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.ForgedHeap;
import mayfly.hotspot.heap.ForgedHeap.Shape;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bins of a set that a test lays out. */
class ConcurrentKeysTest {
    private static final int OBJECT_ARRAY = 0x80_00_00_00;
    private static final int DATA = 24;

    /** A set whose map has a table. */
    private static final class Sets {
        final Shape shape;
        final ForgedHeap heap;
        final long nodeKlass;
        final long tableKlass;

        Sets(Shape shape) {
            this.shape = shape;
            heap = new ForgedHeap(ForgedVm.jdk25(), shape);
            nodeKlass = heap.klassOf("Node", "key", "next");
            tableKlass = heap.klasses.allocate(heap.vm.groupSize("Klass"));
            heap.memory.putInt(tableKlass + heap.vm.at(VmField.KLASS_LAYOUT_HELPER), OBJECT_ARRAY | DATA << 16);
        }

        private void put(long object, String field, long value) {
            heap.putReference(object + heap.offsets.get(field), value);
        }

        /** Creates a list of nodes. */
        long list(long... keys) {
            long first = 0;
            for (int i = keys.length - 1; i >= 0; i--) {
                first = node(keys[i], first);
            }
            return first;
        }

        long node(long key, long next) {
            long node = instance(nodeKlass);
            heap.offsets.put("key", 16);
            heap.offsets.put("next", 24);
            put(node, "key", key);
            put(node, "next", next);
            return node;
        }

        long instance(long klass) {
            long object = heap.objects.allocate(64);
            heap.putKlass(object, klass);
            return object;
        }

        /** Creates an object of a new class with a reference. */
        long with(String type, String field, long value) {
            long object = heap.object(type, field);
            put(object, field, value);
            return object;
        }

        long table(long... bins) {
            long table = heap.objects.allocate(DATA + 8 * bins.length);
            heap.putKlass(table, tableKlass);
            int length = switch (shape) {
                case NARROW -> 12;
                case WIDE -> 16;
                case COMPACT -> 8;
            };
            heap.memory.putInt(table + length, bins.length);
            for (int i = 0; i < bins.length; i++) {
                heap.putReference(table + DATA + (shape == Shape.WIDE ? 8L : 4L) * i, bins[i]);
            }
            return table;
        }

        long set(long table) {
            return with("Set", "map", with("Map", "table", table));
        }

        long key() {
            return heap.objects.allocate(64);
        }

        List<Long> keys(long set, long deadlineNanos) throws Exception {
            VmLayout layout = heap.vm.layout();
            JdkRules rules = JdkRules.of(heap.vm.feature);
            List<Integer> shifts = List.of(13, 14, 15, 16);
            Methods methods = new Methods(heap.memory, layout, rules);
            JavaHeap java = new JavaHeap(heap.memory, layout, shifts);
            HeapObjects objects = new HeapObjects(new VmReaders(heap.memory, layout, shifts, rules, methods), java);
            List<Long> keys = new ArrayList<>();
            new ConcurrentKeys(java, objects, new Budget(deadlineNanos)).of(set, keys::add);
            return keys;
        }

        List<Long> keys(long set) throws Exception {
            return keys(set, System.nanoTime() + 60_000_000_000L);
        }
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void keysOfListsAndTreesAreReported(Shape shape) throws Exception {
        Sets sets = new Sets(shape);
        long[] keys = {sets.key(), sets.key(), sets.key(), sets.key()};
        long tree = sets.with("TreeBin", "first", sets.list(keys[2], keys[3]));
        long set = sets.set(sets.table(0, sets.list(keys[0], keys[1]), 0, tree));
        assertThat(sets.keys(set)).containsExactly(keys[0], keys[1], keys[2], keys[3]);
        assertThat(sets.keys(0)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void binsThatHaveMovedAreReadInTheNextTable(Shape shape) throws Exception {
        Sets sets = new Sets(shape);
        long[] keys = {sets.key(), sets.key()};
        long moved = sets.with("ForwardingNode", "nextTable", sets.table(sets.list(keys[1]), 0));
        assertThat(sets.keys(sets.set(sets.table(moved, sets.list(keys[0]), moved))))
                .containsExactly(keys[0], keys[1]);
    }

    /** Each table refers to the next one, and the last to the first. */
    @ParameterizedTest
    @EnumSource(Shape.class)
    void chainOfTablesIsReadOnce(Shape shape) throws Exception {
        Sets sets = new Sets(shape);
        long klass = sets.heap.klassOf("ForwardingNode", "nextTable");
        long last = sets.instance(klass);
        long table = sets.table(last);
        for (int i = 0; i < 1_000; i++) {
            long forwarding = sets.instance(klass);
            sets.put(forwarding, "nextTable", table);
            table = sets.table(forwarding);
        }
        sets.put(last, "nextTable", table);
        assertThat(sets.keys(sets.set(table))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void listThatIsACycleEndsWithTheTime(Shape shape) throws Exception {
        Sets sets = new Sets(shape);
        long node = sets.node(sets.key(), 0);
        sets.put(node, "next", node);
        long set = sets.set(sets.table(node));
        assertThatThrownBy(() -> sets.keys(set, System.nanoTime())).isInstanceOf(Unreadable.class);
    }
}
