package mayfly.hotspot.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.code.MonitorValue.Place;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.CompressedBytes;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.Unsigned5;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeValuesTest {
    private static final int LOCATION = 0;
    private static final int INT = 1;
    private static final int OOP = 2;
    private static final int LONG = 3;
    private static final int OBJECT = 5;
    private static final int OBJECT_ID = 6;
    private static final int MARKER = 8;
    private static final int MERGE = 9;

    /** Writes values as the VM of one JDK does. */
    private static final class Values {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final JdkRules rules;

        Values(int feature) {
            rules = JdkRules.of(feature);
        }

        Values numbers(int... numbers) {
            for (int number : numbers) {
                bytes.writeBytes(Unsigned5.encode(number, rules.unsigned5ExcludedBytes()));
            }
            return this;
        }

        Values flag(boolean flag) {
            bytes.write(flag ? 1 : 0);
            return this;
        }

        /** Begins an object: its id, its flag if this JDK has one, and its class. */
        Values object(int id, int classAt) {
            numbers(OBJECT, id);
            return (rules.objectRootFlag() ? flag(true) : this).numbers(OOP, classAt);
        }

        ScopeValues reader() {
            return new ScopeValues(new CompressedBytes(bytes.toByteArray(), 0, rules.unsigned5ExcludedBytes()), rules);
        }
    }

    private static int location(int type, boolean inRegister, int offset) {
        return type | (inRegister ? 0x10 : 0) | offset << 5;
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 17, 21, 25})
    void monitorsHaveThePlacesOfTheirObjects(int feature) throws Exception {
        int narrow = feature < 16 ? 8 : 9;
        Values values = new Values(feature).numbers(6);
        values.numbers(0, LOCATION, location(2, false, 12)).flag(false);
        values.numbers(0, LOCATION, location(narrow, false, 3)).flag(true);
        values.numbers(0, LOCATION, location(2, true, 10)).flag(false);
        values.numbers(0, OOP, 300).flag(false);
        values.numbers(0, OBJECT_ID, 77).flag(true);
        values.numbers(0, LOCATION, location(1, false, 3)).flag(false);
        assertThat(values.reader().monitors(5))
                .containsExactly(
                        new MonitorValue(5, false, Place.STACK, false, 48),
                        new MonitorValue(5, true, Place.STACK, true, 12),
                        new MonitorValue(5, false, Place.REGISTER, false, 10),
                        new MonitorValue(5, false, Place.CONSTANT, false, 300),
                        new MonitorValue(5, true, Place.REPLACED, false, 77),
                        new MonitorValue(5, false, Place.UNKNOWN, false, 0));
    }

    /** An object that is described at its first use has further values behind it. */
    @ParameterizedTest
    @ValueSource(ints = {17, 25})
    void monitorBehindAnObjectIsRead(int feature) throws Exception {
        Values values = new Values(feature)
                .numbers(2, 0)
                .object(1, 4)
                .numbers(2, INT, 9, LONG, 1, 2)
                .flag(true);
        values.numbers(0, OOP, 3).flag(false);
        assertThat(values.reader().monitors(0))
                .extracting(MonitorValue::place)
                .containsExactly(Place.UNKNOWN, Place.CONSTANT);
    }

    @ParameterizedTest
    @ValueSource(ints = {11, 21, 22, 26})
    void objectsHaveTheirClassesAlsoInObjectsAndMerges(int feature) throws Exception {
        Values values = new Values(feature).numbers(3);
        values.object(1, 40).numbers(3, LOCATION, 64, MARKER);
        values.object(2, 41).numbers(1, OBJECT_ID, 1);
        values.numbers(MERGE, 3, INT, 0, OOP, 0, 1).object(4, 42).numbers(0);
        values.object(5, 43).numbers(0);
        assertThat(values.reader().classes()).isEqualTo(Map.of(1, 40, 2, 41, 4, 42, 5, 43));
    }

    @Test
    void valueOfAnUnknownCodeIsRefused() {
        for (int code : new int[] {10, 1000, Integer.MAX_VALUE, -1}) {
            assertThatThrownBy(() -> new Values(25).numbers(1, code).reader().classes())
                    .isInstanceOf(BadMetadata.class)
                    .hasMessageContaining("a value of the code " + code);
        }
    }

    @Test
    void objectsThatAreTooDeepAreRefused() {
        Values values = new Values(25).numbers(1);
        for (int i = 0; i < 10_000; i++) {
            values.object(i, 1).numbers(1);
        }
        assertThatThrownBy(() -> values.reader().classes())
                .isInstanceOf(BadMetadata.class)
                .hasMessageContaining("objects in objects");
    }

    @Test
    void countsThatAreTooLargeAreRefused() {
        for (int count : new int[] {4097, Integer.MAX_VALUE, -1}) {
            assertThatThrownBy(() -> new Values(25).numbers(count).reader().monitors(0))
                    .isInstanceOf(BadMetadata.class);
        }
        assertThatThrownBy(() -> new Values(25)
                        .numbers(1)
                        .object(1, 1)
                        .numbers(-1)
                        .reader()
                        .classes())
                .isInstanceOf(BadMetadata.class);
    }

    @Test
    void valuesThatEndEarlyAreRefused() {
        for (int[] some : List.of(new int[] {1}, new int[] {2, 0, OOP, 3}, new int[] {1, 0, LOCATION})) {
            assertThatThrownBy(() -> new Values(25).numbers(some).reader().monitors(0))
                    .isInstanceOf(BadMetadata.class);
        }
    }
}
