package mayfly.host.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.List;
import mayfly.host.log.LoggedClasses.Change;
import mayfly.host.log.LoggedClasses.Logged;
import org.junit.jupiter.api.Test;

class LoggedClassesTest {
    private static final String KLASS = " klass: 0x000000000c041800 super: 0x000000000b172020 loader: [loader data: "
            + "0x00007fa5cc0cad50 for instance a 'java/net/URLClassLoader'{0x00000000fc7a97c0}] bytes: 256 checksum: 1";
    private static final String BOOT_KLASS =
            " klass: 0x000000000c041c00 super: 0x1 loader: [loader data: 0x00007fa5cc000000 of 'bootstrap'] bytes: 9";

    private final LoggedClasses classes = new LoggedClasses();

    private Change read(String line) {
        return classes.read(line, 5);
    }

    private Change load(String name, String klass) {
        assertThat(read(name + " source: file:/tmp/")).isNull();
        assertThat(classes.understood()).isTrue();
        return read(klass);
    }

    @Test
    void loadedClassHasItsNameAndLoader() {
        Change change = load("com.example.B", KLASS);
        assertThat(change.loaded()).isTrue();
        assertThat(change.type()).isEqualTo(new Logged(-1, "com.example.B", "java.net.URLClassLoader@7fa5cc0cad50"));
        assertThat(classes.get(-1)).isEqualTo(change.type());
        assertThat(load("java.lang.Late", BOOT_KLASS).type()).isEqualTo(new Logged(-2, "java.lang.Late", null));
    }

    @Test
    void unloadedClassIsTheOneAtItsAddress() {
        Logged loaded = load("B", KLASS).type();
        assertThat(read("unloading class B 0x000000000c041800")).isEqualTo(new Change(false, loaded));
        assertThat(classes.get(loaded.number())).isNull();
        assertThat(read("unloading class B 0x000000000c041800")).isNull();
        assertThat(classes.understood()).isTrue();
    }

    @Test
    void addressThatIsUsedAgainIsANewClass() {
        long first = load("B", KLASS).type().number();
        read("unloading class B 0x000000000c041800");
        assertThat(load("B", KLASS).type().number()).isNotEqualTo(first);
    }

    /** The line of an unloading has been lost. */
    @Test
    void otherClassAtAKnownAddressReplacesIt() {
        Logged first = load("B", KLASS).type();
        Logged second = load("C", KLASS).type();
        assertThat(classes.get(first.number())).isNull();
        assertThat(classes.get(second.number())).isEqualTo(second);
    }

    @Test
    void presentClassKeepsTheNumberOfItsLine() {
        Logged logged = load("p.B", KLASS).type();
        List<Logged> present = classes.present(
                new long[] {0x0c041800, 0x7fa5cc0cad50L, 0x10, 0, 0x20, 0xab},
                new String[] {"p/B", "java/lang/Object", "p/C+x$$Lambda+0x12"});
        assertThat(present)
                .containsExactly(
                        logged, new Logged(-2, "java.lang.Object", null), new Logged(-3, "p.C+x$$Lambda/0x12", "@ab"));
        assertThat(load("java.lang.Object", " klass: 0x10 "))
                .as("found before its line was read")
                .isNull();
        assertThat(classes.understood()).isTrue();
    }

    @Test
    void otherLineIsNotUnderstood() {
        for (String line : List.of("", " source: x", "B", "unloading class ", KLASS, " klass: 0x", " klass: 0xZ")) {
            assertThat(read(line)).as(line).isNull();
            assertThat(classes.understood()).as(line).isFalse();
        }
        read("B source: x");
        assertThat(read(" klass: 0x00000000000000001")).isNull();
        assertThat(classes.understood()).as("a number that is too long").isFalse();
        assertThat(read(KLASS)).as("the second line is missing its first").isNull();
        assertThat(classes.understood()).isFalse();
    }

    @Test
    void clearedClassesAreUnknownAndTheirNumbersAreNotUsedAgain() {
        load("B", KLASS);
        classes.clear();
        assertThat(classes.get(-1)).isNull();
        assertThat(load("B", KLASS).type().number()).isEqualTo(-2);
    }

    /** The lines between them have been lost. */
    @Test
    void linesWithDifferentTimesAreNotOneClass() {
        classes.read("B source: x", 5);
        assertThat(classes.read(KLASS, 6)).isNull();
        assertThat(classes.understood()).isFalse();
    }

    @Test
    void classThatIsUnloadedWhileTheListIsReadIsNotPresent() {
        classes.beginReading();
        read("unloading class B 0x0000000000000010");
        read("unloading class C 0x0000000000000020");
        load("D", " klass: 0x20 ");
        assertThat(classes.present(new long[] {0x10, 0, 0x20, 0}, new String[] {"B", "D"}))
                .containsExactly(new Logged(-1, "D", null));
        classes.endReading();
        assertThat(classes.present(new long[] {0x10, 0}, new String[] {"B"}))
                .containsExactly(new Logged(-2, "B", null));
    }

    /** A map of the JDK loads the class of its tree nodes when it first needs one. */
    @Test
    void noMapOfTheJdkIsUsedUnderTheLock() {
        assertThat(LoggedClasses.class.getDeclaredFields())
                .extracting(Field::getType)
                .extracting(Class::getName)
                .contains("mayfly.host.log.LongTable")
                .noneMatch(type -> type.startsWith("java.util."));
    }
}
