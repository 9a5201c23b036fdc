package mayfly.host.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import mayfly.api.CompiledMethod;
import mayfly.api.event.InlinedMethod;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Code that is installed and released, reported in any order. */
class CodeTableTest {
    private final CodeTable table = new CodeTable();

    @BeforeEach
    void begin() {
        assertThat(table.begin()).isTrue();
    }

    private static CompiledMethod code(String name, long address, int size) {
        return new CompiledMethod("p.C", name, "()V", address, size, List.of(), true);
    }

    private String at(long address) {
        CompiledMethod found = table.at(address);
        return found == null ? "-" : found.name();
    }

    @Test
    void addressesOfCodeAreItsOwnFromItsFirstToItsLastByte() {
        table.add(code("a", 100, 10), 1);
        table.add(code("b", 110, 5), 2);
        assertThat(at(99)).isEqualTo("-");
        assertThat(at(100)).isEqualTo("a");
        assertThat(at(109)).isEqualTo("a");
        assertThat(at(110)).isEqualTo("b");
        assertThat(at(114)).isEqualTo("b");
        assertThat(at(115)).isEqualTo("-");
    }

    @Test
    void releasedCodeIsUnknown() {
        table.add(code("a", 100, 10), 1);
        table.remove(100, 2);
        assertThat(at(105)).isEqualTo("-");
    }

    @Test
    void lateReleaseLeavesTheCodeThatTookItsPlace() {
        table.add(code("new", 100, 10), 5);
        table.remove(100, 3);
        assertThat(at(105)).isEqualTo("new");
    }

    @Test
    void codeOfAnEnumerationThatWasReleasedMeanwhileIsNotAdded() {
        table.remove(100, 8);
        table.add(code("enumerated", 100, 10), 7);
        assertThat(at(105)).isEqualTo("-");
        table.add(code("later", 100, 10), 9);
        assertThat(at(105)).isEqualTo("later");
        table.completed();
        assertThat(table.begin()).as("nothing is to be enumerated").isFalse();
        assertThat(at(105)).isEqualTo("later");
    }

    @Test
    void tableThatHasNotBegunOrIsForgottenIsEmpty() {
        table.add(code("a", 100, 10), 1);
        table.completed();
        table.forget();
        assertThat(at(105)).isEqualTo("-");
        table.add(code("a", 100, 10), 2);
        assertThat(at(105)).isEqualTo("-");
        assertThat(table.begin()).isTrue();
    }

    @Test
    void codeIsKeptWithoutItsInlinedMethods() {
        InlinedMethod inlined = new InlinedMethod("p.D", "b", "()V");
        table.add(new CompiledMethod("p.C", "a", "()V", 100, 10, List.of(inlined), true), 1);
        assertThat(table.at(105)).isEqualTo(new CompiledMethod("p.C", "a", "()V", 100, 10, List.of(), false));
    }

    @Test
    void tableHasTheCodeOfAMap() {
        TreeMap<Long, CompiledMethod> expected = new TreeMap<>();
        Random random = new Random(7);
        for (int i = 1; i <= 20_000; i++) {
            long address = 64L * random.nextInt(3000);
            if (random.nextInt(5) < 2) {
                table.remove(address, 2L * i);
                expected.remove(address);
            } else {
                table.add(code("m" + i, address, 64), 2L * i + 1);
                expected.put(address, code("m" + i, address, 64));
            }
            long other = random.nextInt(64 * 3000);
            CompiledMethod found = expected.get(other / 64 * 64);
            assertThat(at(other)).isEqualTo(found == null ? "-" : found.name());
        }
        assertThat(expected).hasSizeGreaterThan(1000);
    }

    /** A lost report of a release leaves code that other code overlaps. */
    @Test
    void newCodeReplacesWhatItOverlaps() {
        table.add(code("before", 90, 20), 1);
        table.add(code("within", 105, 5), 2);
        table.add(code("new", 100, 20), 3);
        assertThat(at(95)).isEqualTo("-");
        assertThat(at(107)).isEqualTo("new");
        assertThat(at(119)).isEqualTo("new");
    }
}
