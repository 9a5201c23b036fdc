package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.unwind.NativeCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The items that the kernel reports, here of the test's own process. */
class ProcessReaderTest {

    private interface Reading {
        void read(ProcessReader reader, Items into) throws Exception;
    }

    private static Set<String> items(List<String> mapped, Reading reading) throws Exception {
        List<Mapping> mappings = mapped.stream()
                .map(path -> new Mapping(0, 4096, true, false, true, 0, "fe:00", 1, path)).toList();
        try (LiveProcess own = LiveProcess.open((int) ProcessHandle.current().pid())) {
            Items items = new Items();
            reading.read(new ProcessReader(own, mappings, NativeCode.of(own)), items);
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
    void nativeThreadWithTheSuffixOfAnOwnerIsNotTheOwners() {
        assertThat(Stream.of("GC of the JVM", "x of the JDK", "of the JVM")
                .map(name -> Rule.came(AuditKind.THREADS, ProcessReader.named(name, ""))))
                .allMatch(rule -> rule == Rule.THREAD);
        assertThat(ProcessReader.named("GC Thread#0", ProcessReader.OF_JVM)).isEqualTo("GC Thread#0 of the JVM");
        assertThat(ProcessReader.named("GC Thread#0", "")).isEqualTo("GC Thread#0");
    }
}
