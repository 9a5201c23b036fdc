package mayfly.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import mayfly.attach.listener.Mounts;
import mayfly.linux.BlockedSyscall;
import mayfly.process.Mapping;

/** Any text of a file in /proc is parsed or refused. The first byte selects the file. */
class ProcTextFuzzTest {
    private static final Set<Long> INODES = Set.of(1L, 23L, 345L, 4567L);

    @FuzzTest
    void text(byte[] input) throws IOException {
        if (input.length == 0) {
            return;
        }
        String text = new String(input, 1, input.length - 1, StandardCharsets.UTF_8);
        switch (input[0]) {
            case '0' -> maps(text);
            case '1' -> stat(text);
            case '2' -> status(text);
            case '3' -> sockets(text);
            case '4' -> mounts(text);
            default -> syscall(text);
        }
    }

    private static void maps(String text) throws IOException {
        try {
            for (Mapping mapping : Maps.parse(text)) {
                assertThat(Long.compareUnsigned(mapping.start(), mapping.end())).isNegative();
                assertThat(text).contains(mapping.path());
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("has a line of more than");
        }
    }

    private static void stat(String text) {
        Stat stat = Stat.parse(text);
        if (stat != null) {
            assertThat(text).contains("(" + stat.comm() + ")");
            assertThat(stat.thread().name()).isEqualTo(stat.comm());
            assertThat(stat.isZombie()).isEqualTo(stat.state() == 'Z' || stat.state() == 'X');
        }
    }

    private static void status(String text) {
        ProcStatus status = ProcStatus.parse(text);
        assertThat(text).contains(status.name());
        assertThat(status.namespacePids()).hasSizeLessThanOrEqualTo(64);
        assertThat(status.catches(1)).isEqualTo((status.caughtSignals() & 1) != 0);
    }

    private static void sockets(String text) {
        SocketTable table = new SocketTable(new HashSet<>(INODES));
        text.lines().forEach(line -> {
            table.addUnix(line);
            table.addInternet("tcp", line);
        });
        assertThat(INODES).containsAll(table.found().keySet());
        assertThat(table.found().values()).allSatisfy(words -> assertThat(words).matches("(?s)(unix|tcp) .+"));
    }

    private static void mounts(String text) {
        boolean may = Mounts.mayLoadFrom(Path.of("/tmp/mayfly/host.so"), List.of(text.split("\n")));
        assertThat(may || text.contains("noexec")).isTrue();
    }

    private static void syscall(String text) {
        BlockedSyscall call = BlockedSyscall.parse(text);
        if (call != null) {
            assertThat(text.strip().split(" ", 12).length).isIn(3, 9);
        }
    }
}
