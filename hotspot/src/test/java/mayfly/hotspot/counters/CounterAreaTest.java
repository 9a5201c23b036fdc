package mayfly.hotspot.counters;

import static org.assertj.core.api.Assertions.assertThat;

import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.VmField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The area of counters in VMs laid out by the test. */
class CounterAreaTest {
    private static final String NUMBER = "sun.os.hrt.frequency";
    private static final String TEXT = "sun.gc.cause";

    private final ForgedVm vm = ForgedVm.jdk25();
    private final ForgedCounters counters = new ForgedCounters(vm);

    private CounterArea area() throws Exception {
        return CounterArea.read(vm.memory, vm.layout()).orElseThrow();
    }

    private boolean isEmpty() throws Exception {
        return CounterArea.read(vm.memory, vm.layout()).isEmpty();
    }

    @Test
    void countersAreFoundByTheirNames() throws Exception {
        long number = counters.number(NUMBER, 1_000_000_000);
        long text = counters.cause(TEXT, "System.gc()");
        CounterArea area = area();
        assertThat(area.numberAt(NUMBER)).isEqualTo(number);
        assertThat(area.number(NUMBER, 7)).isEqualTo(1_000_000_000);
        assertThat(area.textAt(TEXT, 1000)).isEqualTo(new TextPlace(text, 81));
        assertThat(area.textAt(TEXT, 40)).isEqualTo(new TextPlace(text, 40));
        assertThat(area.text(TEXT, 1000)).isEqualTo("System.gc()");
        assertThat(area.text(TEXT, 6)).isEqualTo("System");
    }

    @Test
    void counterOfAnotherNameOrTypeIsNone() throws Exception {
        counters.number(NUMBER, 5);
        counters.cause(TEXT, "x");
        CounterArea area = area();
        assertThat(area.numberAt("sun.os.hrt")).isZero();
        assertThat(area.numberAt(TEXT)).isZero();
        assertThat(area.number(TEXT, 7)).isEqualTo(7);
        assertThat(area.textAt(NUMBER, 80)).isEqualTo(TextPlace.NONE);
        assertThat(area.text(NUMBER, 80)).isEmpty();
    }

    @Test
    void vmWithoutCountersHasNoArea() throws Exception {
        vm.memory.putLong(vm.at(VmField.PERF_MEMORY_START), 0);
        assertThat(isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = VmField.class,
            names = {"PERF_MEMORY_START", "PERF_MEMORY_CAPACITY"})
    void vmThatDoesNotDescribeTheAreaHasNone(VmField field) throws Exception {
        assertThat(CounterArea.read(vm.memory, vm.without(field).layout())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {0x10, -8, 0x7d00_0000_0004L})
    void areaAtAnAddressThatCannotBeReadIsNone(long start) throws Exception {
        vm.memory.putLong(vm.at(VmField.PERF_MEMORY_START), start);
        assertThat(isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 31, 2 * 1024 * 1024 + 1, Long.MAX_VALUE, Long.MIN_VALUE})
    void areaOfAnImplausibleSizeIsNone(long capacity) throws Exception {
        vm.memory.putLong(vm.at(VmField.PERF_MEMORY_CAPACITY), capacity);
        assertThat(isEmpty()).isTrue();
    }

    /** Each row is a byte of the prologue, and a wrong value of it. */
    @ParameterizedTest
    @CsvSource({"0, 0", "3, 1", "4, 0", "4, 2", "5, 1", "5, 3"})
    void areaOfAnotherFormatIsNone(int at, int value) throws Exception {
        vm.memory.putByte(counters.start + at, value);
        assertThat(isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 31, ForgedCounters.CAPACITY + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void areaOfWhichAnImplausiblePartIsUsedIsNone(int used) throws Exception {
        vm.memory.putInt(counters.start + 8, used);
        assertThat(isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 31, ForgedCounters.CAPACITY, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void entriesOutsideTheAreaAreNotFound(int first) throws Exception {
        counters.number(NUMBER, 5);
        vm.memory.putInt(counters.start + 24, first);
        assertThat(area().numberAt(NUMBER)).isZero();
    }

    @Test
    void numberOfEntriesIsBoundedByTheArea() throws Exception {
        counters.number(NUMBER, 5);
        vm.memory.putInt(counters.start + 28, Integer.MAX_VALUE);
        assertThat(area().number(NUMBER, 0)).isEqualTo(5);
        vm.memory.putInt(counters.start + 28, -1);
        assertThat(area().numberAt(NUMBER)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 19, -8, Integer.MAX_VALUE, Integer.MIN_VALUE, ForgedCounters.CAPACITY})
    void entriesFromOneWithAnImplausibleLengthOnAreNotFound(int length) throws Exception {
        counters.number(NUMBER, 5);
        long bad = counters.next();
        counters.number("bad", 6);
        counters.number("behind", 7);
        vm.memory.putInt(bad, length);
        assertThat(area().number(NUMBER, 0)).isEqualTo(5);
        assertThat(area().numberAt("bad")).isZero();
        assertThat(area().numberAt("behind")).isZero();
    }

    /** Each row is an offset in the entry, and a number there. */
    @ParameterizedTest
    @CsvSource({
        // the name
        "4, 0",
        "4, -1",
        "4, 1000",
        "4, 2147483647",
        // the length of a vector
        "8, 1",
        "8, -1",
        "8, 2147483647",
        // the value
        "16, 0",
        "16, -8",
        "16, 48",
        "16, 1000",
        "16, 2147483647",
        "16, -2147483648"
    })
    void counterWhosePartsLieOutsideItsEntryIsNotFound(int at, int value) throws Exception {
        long bad = counters.next();
        counters.number("bad", 6);
        counters.number(NUMBER, 5);
        vm.memory.putInt(bad + at, value);
        assertThat(area().numberAt("bad")).isZero();
        assertThat(area().number(NUMBER, 0)).isEqualTo(5);
    }

    @Test
    void textThatIsLongerThanItsEntryIsNotFound() throws Exception {
        long bad = counters.next();
        counters.cause("bad", "x");
        vm.memory.putInt(bad + 8, 1000);
        assertThat(area().textAt("bad", 80)).isEqualTo(TextPlace.NONE);
    }

    @Test
    void numberAtAnUnalignedAddressIsNotFound() throws Exception {
        long bad = counters.next();
        counters.number("bad", 6);
        vm.memory.putInt(bad + 16, 20);
        assertThat(area().numberAt("bad")).isZero();
    }

    @Test
    void nameWithoutEndIsNotFound() throws Exception {
        counters.number("x".repeat(500), 6);
        counters.number(NUMBER, 5);
        assertThat(area().numberAt("x".repeat(128))).isZero();
        assertThat(area().number(NUMBER, 0)).isEqualTo(5);
    }

    @Test
    void firstOfTwoCountersWithOneNameIsFound() throws Exception {
        counters.number(NUMBER, 5);
        counters.number(NUMBER, 6);
        assertThat(area().number(NUMBER, 0)).isEqualTo(5);
    }

    @Test
    void textEndsWithAZeroOrAtItsLength() {
        TextPlace place = new TextPlace(0x1006, 5);
        assertThat(place.words()).isEqualTo(2);
        long[] addresses = new long[3];
        place.addTo(addresses, 1);
        assertThat(addresses).containsExactly(0, 0x1000, 0x1008);
        long[] words = {-1, 0x4241_0000_0000_0000L, 0x7f00_00e9L << 8 | 0x43};
        assertThat(place.text(words, 1)).isEqualTo("ABC\u00e9");
        assertThat(new TextPlace(0x1006, 2).text(words, 1)).isEqualTo("AB");
        assertThat(TextPlace.NONE.words()).isZero();
        assertThat(TextPlace.NONE.text(words, 0)).isEmpty();
    }
}
