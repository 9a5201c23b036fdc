package mayfly.linux.proc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import mayfly.process.Mapping;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageMapTest {
    private static final int PAGE = 4096;

    @TempDir
    private Path folder;

    @Test
    void writtenPageOfAPrivateMappingIsACopyAndTheOthersAreNot() throws Exception {
        Path file = folder.resolve("pages");
        Files.write(file, new byte[4 * PAGE]);
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment pages = channel.map(FileChannel.MapMode.PRIVATE, 0, 4 * PAGE, arena);
            assertThat(pages.get(ValueLayout.JAVA_BYTE, 0)).isZero();
            pages.set(ValueLayout.JAVA_BYTE, 2 * PAGE + 5, (byte) 1);
            long start = pages.address();
            Mapping mapping = new Mapping(start, start + 4 * PAGE, true, true, false, 0, "00:00", 1, file.toString());
            List<Long> copies = new ArrayList<>();
            PageMap.forEachCopy("/proc/self", mapping, copies::add);
            assertThat(copies).containsExactly(start + 2 * PAGE);
            assertThat(PageMap.isCopied("/proc/self", start + 2 * PAGE + 5)).isTrue();
            assertThat(PageMap.isCopied("/proc/self", start)).isFalse();
        }
    }

    @Test
    void absentPageIsNoCopyAndASwappedOneMayBe() {
        assertThat(PageMap.isCopy(0)).isFalse();
        assertThat(PageMap.isCopy(1L << 63)).isTrue();
        assertThat(PageMap.isCopy(1L << 62)).isTrue();
        assertThat(PageMap.isCopy(1L << 62 | 1L << 61)).isFalse();
    }
}
