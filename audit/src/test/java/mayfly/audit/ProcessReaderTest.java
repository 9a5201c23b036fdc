package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import mayfly.hotspot.inventory.ThreadOwner;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.process.TargetThread;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import mayfly.wire.AnchorPage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The items that the kernel reports: of the test's own process, and of a scripted one. */
class ProcessReaderTest {
    @TempDir
    private Path root;

    private ScriptedProcess process;

    @BeforeEach
    void open() throws Exception {
        process = new ScriptedProcess(root);
    }

    @AfterEach
    void close() {
        process.close();
    }

    private Map<String, Long> scripted(List<Mapping> mappings, Reading reading) throws Exception {
        var items = new Items();
        reading.read(new ProcessReader(process, mappings, NativeCode.of(process.own())), items);
        return items.counts();
    }

    private Map<String, Long> scripted(Reading reading) throws Exception {
        return scripted(List.of(), reading);
    }

    private static TargetThread thread(int tid, String name) {
        return new TargetThread(tid, name, 'S', 1, 0, 0);
    }

    private interface Reading {
        void read(ProcessReader reader, Items into) throws Exception;
    }

    private static Set<String> items(List<String> mapped, Reading reading) throws Exception {
        List<Mapping> mappings = mapped.stream()
                .map(path -> new Mapping(0, 4096, true, false, true, 0, "fe:00", 1, path))
                .toList();
        try (LiveProcess own = LiveProcess.open((int) ProcessHandle.current().pid())) {
            Items items = new Items();
            reading.read(new ProcessReader(new LiveAuditedProcess(own), mappings, NativeCode.of(own)), items);
            return items.counts().keySet();
        }
    }

    @ParameterizedTest
    @CsvSource({"/jdk/lib/libnet.so", "/jdk/lib/libnio.so", "/jdk/lib/libnet.so (deleted)"})
    void networkSignalIsRecognizedWithTheLibrariesOfADeletedJdk(String library) throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) { // the JDK then has the handler
            assertThat(socket.isBound()).isTrue();
            assertThat(items(List.of(library), (reader, into) -> reader.signals(into, Set.of(), false)))
                    .contains("signal 62 has a handler, and libnet or libnio is loaded");
            assertThat(items(List.of("/jdk/lib/libnet.so.1"), (reader, into) -> reader.signals(into, Set.of(), false)))
                    .contains("signal 62 has a handler");
        }
    }

    @Test
    void mappedFileHasTheSamePathOnceItIsDeleted() throws Exception {
        assertThat(items(List.of("/jdk/lib/libinstrument.so (deleted)", "[stack]"), ProcessReader::mappings))
                .containsExactly("/jdk/lib/libinstrument.so");
    }

    @Test
    void copiedPageOfCodeHasTheFileAndItsOffsetAndTheKernelsMappingsAreNamed() throws Exception {
        Mapping code = NativeCode.of(process.own()).modules().stream()
                .filter(module -> module.name().equals("libjvm.so"))
                .flatMap(module -> module.mappings().stream())
                .filter(Mapping::executable)
                .findFirst()
                .orElseThrow();
        process.copies.put(code.start(), new long[] {code.start() + 0x3000});
        Mapping ofKernel = new Mapping(4096, 8192, false, false, true, 0, "00:00", 0, "[uprobes]");
        Items items = new Items();
        new ProcessReader(process, List.of(code, ofKernel), NativeCode.of(process.own())).codePages(items);
        assertThat(items.counts())
                .containsOnlyKeys(
                        code.path() + " at 0x" + Long.toHexString(code.offset() + 0x3000), "mapping [uprobes]");
    }

    @Test
    void nativeThreadWithTheSuffixOfAnOwnerIsNotTheOwners() {
        assertThat(Stream.of("GC of the JVM", "x of the JDK", "of the JVM")
                        .map(name -> Rule.came(AuditKind.THREADS, ProcessReader.named(name, ""))))
                .allMatch(rule -> rule == Rule.THREAD);
        assertThat(ProcessReader.named("GC Thread#0", ProcessReader.OF_JVM)).isEqualTo("GC Thread#0 of the JVM");
        assertThat(ProcessReader.named("GC Thread#0", "")).isEqualTo("GC Thread#0");
    }

    @Test
    void socketsAreSeparatedFromOtherDescriptorsAndUnknownOnesAreKept() throws Exception {
        process.descriptors.putAll(Map.of(
                0,
                "/dev/null",
                1,
                "/dev/null",
                3,
                "socket:[11]",
                4,
                "socket:[12]",
                5,
                "socket:[99999999999999999999]"));
        process.sockets.put(11L, "unix /tmp/x listening");
        assertThat(scripted(ProcessReader::descriptors))
                .containsOnly(entry("/dev/null", 2L), entry("socket:[99999999999999999999]", 1L));
        assertThat(scripted(ProcessReader::sockets))
                .containsOnly(entry("unix /tmp/x listening", 1L), entry("of another family", 1L));
    }

    @Test
    void onlyFilesOfAttachesToThisProcessAreListed() throws Exception {
        for (String name : List.of(
                ".java_pid7",
                ".java_pid7.tmp",
                ".java_pid77",
                ".attach_pid7",
                ".mayfly-7-x",
                ".mayfly-000000070123abcd",
                ".mayfly-000000080123abcd",
                "other")) {
            Files.createFile(process.path("/tmp/" + name));
        }
        Files.createFile(process.path("/app/.attach_pid7"));
        Files.createFile(process.path("/app/.java_pid7"));
        assertThat(scripted(ProcessReader::files))
                .containsOnlyKeys(
                        "/tmp/.java_pid7",
                        "/tmp/.java_pid7.tmp",
                        "/tmp/.attach_pid7",
                        "/tmp/.mayfly-7-x",
                        "/tmp/.mayfly-000000070123abcd",
                        "/app/.attach_pid7");
        process.workingDirectory = "/app (deleted)";
        assertThat(scripted(ProcessReader::files))
                .doesNotContainKey("/app/.attach_pid7")
                .hasSize(5);
    }

    @Test
    void onlyAnAnonymousPageWithTheMarkIsTheAnchorOfAHost() throws Exception {
        byte[] mark = "MAYFLY-JVMTI-ANCHOR-1".getBytes(StandardCharsets.ISO_8859_1);
        process.memory.put(0x2000L, mark);
        process.memory.put(0x5000L, mark);
        process.memory.put(0x6000L, "MAYFLY-JVMTI-ANCHOS-1".getBytes(StandardCharsets.ISO_8859_1));
        List<Mapping> mappings = List.of(
                anonymous(0x1000, 0x3000, false), anonymous(0x5000, 0x6000, true), anonymous(0x6000, 0x7000, false));
        assertThat(scripted(mappings, ProcessReader::mappings))
                .as("a page that the host could not protect again is one too")
                .containsOnly(entry("anonymous page MAYFLY-JVMTI-ANCHOR-1", 2L));
    }

    @Test
    void pageOfAHostBelongsToTheLibraryOfTheFunctionsOfItsEnvironment() throws Exception {
        NativeCode code = NativeCode.of(process.own());
        NativeModule library = code.modules().getFirst();
        long function = library.mappings().stream()
                .filter(Mapping::executable)
                .findFirst()
                .orElseThrow()
                .start();
        putAnchor(0x1000, 0x5000, function);
        putAnchor(0x2000, 0x6000, 0); // in no library
        putAnchor(0x3000, 0x7000, function);
        process.memory.remove(0x7000L); // the environment cannot be read
        var reader = new ProcessReader(process, List.of(anonymous(0x1000, 0x4000, false)), code);
        var items = new Items();
        reader.mappings(items);
        assertThat(items.counts()).containsOnly(entry("anonymous page MAYFLY-JVMTI-ANCHOR-1", 3L));
        assertThat(reader.redefinitions()).containsOnlyKeys(library.start());
        assertThat(reader.redefinitions().values()).allMatch(redefinitions -> redefinitions.count() == 2);
    }

    /** Puts a page of a host with two redefinitions into the memory, and its environment with the functions' table. */
    private void putAnchor(long at, long environment, long function) {
        ByteBuffer page = ByteBuffer.wrap(HostRedefinitionsTest.page(2, "La;")).order(ByteOrder.LITTLE_ENDIAN);
        page.put("MAYFLY-JVMTI-ANCHOR-1".getBytes(StandardCharsets.ISO_8859_1));
        process.memory.put(at, page.putLong(AnchorPage.ENVIRONMENT, environment).array());
        process.memory.put(environment, bytes(environment + 0x100));
        process.memory.put(environment + 0x100 + 126 * Long.BYTES, bytes(function));
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array();
    }

    private static Mapping anonymous(long start, long end, boolean writable) {
        return new Mapping(start, end, true, writable, false, 0, "00:00", 0, "");
    }

    @Test
    void searchForTheAnchorIsBoundedInAHugeMapping() throws Exception {
        process.memory.put(0x1000L + 5000 * 4096, "MAYFLY-JVMTI-ANCHOR-1".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(scripted(List.of(anonymous(0x1000, Long.MAX_VALUE & -4096, false)), ProcessReader::mappings))
                .isEmpty();
    }

    @Test
    void threadsHaveTheirOwnersAndForgedNamesDoNot() throws Exception {
        process.threads.addAll(List.of(
                thread(7, "java"),
                thread(8, "C2"),
                thread(9, "main"),
                thread(10, "x"),
                thread(11, "GC of the JVM"),
                thread(12, "Attach Listener")));
        process.waiting.put(11, 0x1000L);
        Map<String, Long> items = scripted((reader, into) -> reader.threads(
                into,
                Map.of(
                        7,
                        new KnownThread(null, ThreadOwner.OTHER),
                        8,
                        new KnownThread("C2 CompilerThread0", ThreadOwner.VM),
                        9,
                        new KnownThread("main", ThreadOwner.OTHER),
                        10,
                        new KnownThread("Common-Cleaner", ThreadOwner.JDK),
                        12,
                        new KnownThread("Mayfly host", ThreadOwner.PROGRAM))));
        assertThat(items)
                .containsOnlyKeys(
                        "java",
                        "\"C2 CompilerThread0\" of the JVM",
                        "\"main\"",
                        "\"Common-Cleaner\" of the JDK",
                        "GC of the JVM of the program",
                        "\"Mayfly host\" of the program");
    }

    @Test
    void nativeThreadBelongsToTheJvmIfItsCodeCalledTheFunctionInWhichItWaits() throws Exception {
        long inJvm = NativeCode.of(process.own()).modules().stream()
                        .filter(module -> module.name().equals("libjvm.so"))
                        .flatMap(module -> module.mappings().stream())
                        .filter(Mapping::executable)
                        .findFirst()
                        .orElseThrow()
                        .start()
                + 64;
        process.threads.addAll(List.of(thread(20, "GC Thread#0"), thread(21, "native"), thread(22, "unreadable")));
        process.waiting.putAll(Map.of(20, 0x10000L, 21, 0x20000L, 22, 0x30000L));
        process.memory.put(0x10000L, stack(0, inJvm));
        process.memory.put(0x20000L, stack(0, 0));
        assertThat(scripted((reader, into) -> reader.threads(into, Map.of())))
                .containsOnlyKeys("GC Thread#0 of the JVM", "native", "unreadable");
    }

    private static byte[] stack(long... words) {
        ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            bytes.putLong(word);
        }
        return bytes.array();
    }

    @Test
    void dispositionOfEachSignalIsListedWithItsCause() throws Exception {
        process.caught = bit(2) | bit(27) | bit(64);
        process.ignored = bit(1) | bit(13);
        process.blocked = bit(15);
        assertThat(scripted((reader, into) -> reader.signals(into, Set.of("2", "13"), true)))
                .containsOnlyKeys(
                        "SIGINT has a handler, set in Java",
                        "SIGPROF has a handler, and the flight recorder samples CPU time",
                        "signal 64 has a handler",
                        "SIGHUP is ignored",
                        "SIGPIPE is ignored, set in Java",
                        "SIGTERM is blocked in the main thread");
    }

    private static long bit(int signal) {
        return 1L << signal - 1;
    }
}
