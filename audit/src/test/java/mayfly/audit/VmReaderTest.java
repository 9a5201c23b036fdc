package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;
import mayfly.hotspot.inventory.JvmtiState;
import mayfly.hotspot.inventory.JvmtiState.Environment;
import mayfly.hotspot.inventory.LoadedClasses;
import mayfly.hotspot.inventory.LoadedClasses.Loaded;
import mayfly.hotspot.inventory.LoadedClasses.Loader;
import mayfly.hotspot.inventory.RegistrationQueries;
import mayfly.hotspot.inventory.SetFlag;
import mayfly.hotspot.inventory.ThreadOwner;
import mayfly.hotspot.inventory.VmInventory.Undetermined;
import org.junit.jupiter.api.Test;

/** The items that scripted JVMs list. */
class VmReaderTest {
    private static final String APP = "jdk.internal.loader.ClassLoaders$AppClassLoader";

    private final ScriptedVms vms = new ScriptedVms();
    private final ScriptedInventory vm = new ScriptedInventory();

    VmReaderTest() {
        vms.add(vm, Map.of());
    }

    private interface Reading {
        void of(VmReader reader, Items into) throws Exception;
    }

    private SortedMap<String, Long> items(Reading reading) throws Exception {
        var items = new Items();
        reading.of(new VmReader(vms, Map.of()), items);
        return items.counts();
    }

    private void assertNotSeen(Reading reading, String words) {
        assertThatThrownBy(() -> items(reading)).isInstanceOf(NotSeen.class).hasMessageContaining(words);
    }

    @Test
    void loadersAndClassesHaveTheirNamesWithoutAddresses() throws Exception {
        vm.classes = new LoadedClasses(
                List.of(
                        new Loader(LoadedClasses.BOOT, "java.lang.Object", 9), new Loader(APP, "a.Main", 1),
                        new Loader("a.Loader", "a.L$$Lambda/0x00007f00", 1), new Loader("a.Loader", "", 0)),
                List.of(new Loaded("a.L$$Lambda/0x00007f00", APP, false), new Loaded("[La.H/0x7f;", "boot", true)),
                true);
        assertThat(items(VmReader::loaders))
                .containsOnlyKeys("boot", "app", "a.Loader, first class a.L$$Lambda", "a.Loader, without a class");
        assertThat(items(VmReader::classes)).containsOnlyKeys("a.L$$Lambda in app", "[La.H; in boot");
        assertThat(items(VmReader::transformed)).containsOnlyKeys("[La.H; in boot");
    }

    @Test
    void itemsOfSeveralJvmsHaveTheIdsOfTheirJvms() throws Exception {
        var second = new ScriptedInventory();
        second.flags = List.of(new SetFlag("UseZGC", "true", SetFlag.Origin.COMMAND_LINE));
        vm.flags = List.of(new SetFlag("UseG1GC", "true", SetFlag.Origin.CONFIG_FILE));
        vms.add(second, Map.of());
        assertThat(items(VmReader::flags))
                .containsOnlyKeys("r1: UseG1GC (config file) = true", "r2: UseZGC (command line) = true");
        second.undetermined.put("flags", "it moves");
        assertThatThrownBy(() -> items(VmReader::flags))
                .as("a part of the JVMs would look complete")
                .isInstanceOf(Undetermined.class)
                .hasMessage("it moves");
    }

    @Test
    void jvmThatCannotBeReadAndOtherRuntimeAreNotSeenWithTheReason() {
        vms.addUnreadable("its tables contradict each other");
        assertNotSeen(VmReader::classes, "its tables contradict each other");
        vms.present().removeLast();
        vms.addOther();
        assertNotSeen(VmReader::properties, "cannot list the items of a Other runtime");
    }

    @Test
    void classesAreReadOnceForAllTheirKinds() throws Exception {
        var reader = new VmReader(vms, Map.of());
        reader.loaders(new Items());
        reader.classes(new Items());
        reader.transformed(new Items());
        assertThat(vm.queries).containsEntry("classes", 1);
    }

    @Test
    void moreClassesThanTheLimitAreNotSeen() {
        vm.classes = new LoadedClasses(
                List.of(),
                IntStream.rangeClosed(0, Items.MAX_ITEMS)
                        .mapToObj(number -> new Loaded("a.C" + number, APP, false))
                        .toList(),
                true);
        assertNotSeen(VmReader::classes, "there are more than 150000 different items");
    }

    @Test
    void longNameIsTruncatedAndManyEqualOnesAreCounted() throws Exception {
        String name = "x".repeat(1 << 20);
        vm.registered = List.of(name, name, "hook of a.H/0x7f/1");
        SortedMap<String, Long> items =
                items((reader, into) -> reader.registered(into, RegistrationQueries::shutdownHooks));
        assertThat(items)
                .containsEntry("x".repeat(Items.MAX_LENGTH) + "...", 2L)
                .containsKey("hook of a.H/1");
    }

    @Test
    void valueOfAPropertyIsNotRevealed() throws Exception {
        vm.properties.put("password", "secret");
        vm.properties.put("evil\n", "");
        assertThat(items(VmReader::properties))
                .containsOnlyKeys("password = (6 chars, CRC-32 5ca2e8e5)", "evil\n = (0 chars, CRC-32 00000000)");
    }

    @Test
    void strippedLibraryHidesEnvironmentsAndTheCountOfRedefinitions() throws Exception {
        vm.undetermined.put("jvmti", "this libjvm.so is stripped");
        assertThatThrownBy(() -> items(VmReader::environments)).isInstanceOf(Undetermined.class);
        assertThat(items(VmReader::transformed))
                .as("the classes know whether they were redefined")
                .isEmpty();
        vm.classes = new LoadedClasses(List.of(), List.of(), false);
        assertNotSeen(VmReader::transformed, "stripped: it has no symbol for the count of redefinitions");
        vm.undetermined.clear();
        vm.jvmti = new JvmtiState(List.of(), List.of(), -1);
        assertNotSeen(VmReader::transformed, "stripped: it has no symbol for the count of redefinitions");
        vm.jvmti = new JvmtiState(List.of(), List.of(), 3);
        assertThat(items(VmReader::transformed)).containsEntry("redefinitions since the JVM started", 3L);
    }

    @Test
    void environmentsAreDistinguishedByTheLibrariesThatTheyCall() throws Exception {
        vms.libraries.putAll(Map.of(0x10L, "libagent.so", 0x20L, "libagent.so", 0x30L, "libother.so"));
        vm.jvmti = new JvmtiState(
                List.of(
                        new Environment(false, false, List.of(0x10L, 0x20L, 0x30L)),
                        new Environment(true, false, List.of(0x10L)),
                        new Environment(false, true, List.of()),
                        new Environment(false, false, List.of(0x99L)),
                        new Environment(false, false, List.of()),
                        new Environment(false, false, List.of())),
                List.of("can_walk_any_space"),
                0);
        assertThat(items(VmReader::environments))
                .containsOnlyKeys(
                        "environment that calls libagent.so, libother.so",
                        "disposed environment",
                        "environment of the flight recorder",
                        "environment that calls code of no library",
                        "empty environment",
                        "permanent: can_walk_any_space");
        var marked = new Items();
        new VmReader(vms, Map.of(vms.present().getFirst().module().start(), new HostRedefinitions()))
                .environments(marked);
        assertThat(marked.counts())
                .containsEntry("empty environment, marked by Mayfly", 1L)
                .containsEntry("empty environment", 1L);
    }

    @Test
    void hostsRedefinitionsAreSubtractedFromThoseOfTheirOwnJvm() throws Exception {
        var second = new ScriptedInventory();
        vms.add(second, Map.of());
        for (ScriptedInventory each : List.of(vm, second)) {
            each.classes = new LoadedClasses(List.of(), List.of(new Loaded("a", APP, true)), true);
            each.jvmti =
                    new JvmtiState(List.of(new Environment(false, false, List.of())), List.of(), each == vm ? 5 : 3);
        }
        var byHosts = new HostRedefinitions();
        byHosts.add(HostRedefinitionsTest.page(2, "La;"));
        var reader = new VmReader(vms, Map.of(vms.present().getLast().module().start(), byHosts));
        var items = new Items();
        reader.transformed(items);
        assertThat(items.counts())
                .containsOnly(
                        Map.entry("r1: a in app", 1L),
                        Map.entry("r1: redefinitions since the JVM started", 5L),
                        Map.entry("r2: a in app, for probes", 1L),
                        Map.entry("r2: redefinitions since the JVM started", 1L),
                        Map.entry("r2: redefinitions, for probes", 2L));
        var environments = new Items();
        reader.environments(environments);
        assertThat(environments.counts())
                .containsOnlyKeys("r1: empty environment", "r2: empty environment, marked by Mayfly");
    }

    @Test
    void threadsOfAJvmWhoseListCannotBeReadAreUnknown() {
        vms.add(new ScriptedInventory(), Map.of(21, "second"));
        vms.addUnreadable("torn");
        vm.threadsFault = true;
        assertThat(new VmReader(vms, Map.of()).threads())
                .containsExactly(Map.entry(21, new KnownThread("second", ThreadOwner.OTHER)));
        assertThat(vms.forgotten).as("each list is read from fresh memory").isEqualTo(2);
    }
}
