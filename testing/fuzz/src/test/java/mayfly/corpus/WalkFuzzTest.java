package mayfly.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.process.replay.BadSnapshot;
import mayfly.process.replay.RecordedProcess;
import org.junit.jupiter.api.Tag;

/**
 * A recorded process with modified memory: the VM is refused, or the walk ends with an outcome after a bounded number
 * of reads. An input is a byte for the recorded walk. Then each change has three bytes for the number of the read that
 * is changed, and eight bytes that are added to the value read. The fuzzer observes the code that an input reaches.
 */
class WalkFuzzTest {
    private static final List<String> WALKS = List.of(
            "jdk25-mix/leaf-inlined",
            "jdk25-mix/interpreted-from-compiled",
            "jdk17-mix/leaf-interpreted",
            "jdk25-virtual/through-cont-thaw",
            "jdk11-busy/leaf-c2");
    private static final int CHANGE = 11;
    /** The same walk without changes reads some hundreds of thousands at most. */
    private static final int MAX_READS = 4_000_000;

    private static final Map<String, RecordedProcess> OPENED = new HashMap<>();

    @FuzzTest
    @Tag("slow")
    void walk(byte[] input) throws IOException, BadSnapshot {
        if (input.length == 0) {
            return;
        }
        RecordedProcess process = opened(WALKS.get((input[0] & 0xff) % WALKS.size()));
        Damaged damaged = new Damaged(process, changes(input));
        try {
            Walked walked = Replay.of(damaged, process.snapshot());
            assertThat(walked.frames()).hasSizeLessThanOrEqualTo(Replay.MAX_FRAMES * 64);
            assertThat(walked.outcome().id()).isNotEmpty();
            walked.lines(process.snapshot());
        } catch (IOException | UnsupportedVm e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
        assertThat(damaged.reads).isLessThan(MAX_READS);
    }

    private static RecordedProcess opened(String walk) throws IOException, BadSnapshot {
        RecordedProcess process = OPENED.get(walk);
        if (process == null) {
            Path file = Path.of(System.getProperty("mayfly.recordings", "../corpus/recordings"))
                    .resolve(walk);
            process = new Case(file.getParent(), file.getFileName().toString()).open();
            OPENED.put(walk, process);
        }
        return process;
    }

    private static TreeMap<Integer, Long> changes(byte[] input) {
        ByteBuffer in = ByteBuffer.wrap(input, 1, input.length - 1).order(ByteOrder.LITTLE_ENDIAN);
        TreeMap<Integer, Long> changes = new TreeMap<>();
        while (in.remaining() >= CHANGE) {
            int read = (in.getShort() & 0xffff) | (in.get() & 0xff) << 16;
            changes.put(read, in.getLong());
        }
        return changes;
    }

    /** The process with some words of its memory changed permanently from their first read on. */
    private static final class Damaged implements TargetProcess, Memory {
        private final RecordedProcess process;
        private final TreeMap<Integer, Long> changes;
        private final Map<Long, byte[]> changed = new HashMap<>();
        private int reads;

        Damaged(RecordedProcess process, TreeMap<Integer, Long> changes) {
            this.process = process;
            this.changes = changes;
        }

        @Override
        public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
            process.memory().read(address, to, offset, length);
            Long added = length == 0 ? null : changes.get(reads++);
            if (added != null) {
                byte[] bytes = new byte[Math.min(length, 8)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) (to[offset + i] + (added >>> 8 * i));
                }
                changed.put(address, bytes);
            }
            for (Map.Entry<Long, byte[]> change : changed.entrySet()) {
                for (int i = 0; i < change.getValue().length; i++) {
                    long at = change.getKey() + i - address;
                    if (at >= 0 && at < length) {
                        to[offset + (int) at] = change.getValue()[i];
                    }
                }
            }
        }

        @Override
        public Architecture architecture() {
            return X86_64.ARCHITECTURE;
        }

        @Override
        public int pid() {
            return process.pid();
        }

        @Override
        public Memory memory() {
            return this;
        }

        @Override
        public List<Mapping> mappings() {
            return process.mappings();
        }

        @Override
        public List<TargetThread> threads() {
            return process.threads();
        }

        @Override
        public MemorySegment file(Mapping mapping) throws IOException {
            return process.file(mapping);
        }

        @Override
        public MemorySegment fileAt(String path) throws IOException {
            return process.fileAt(path);
        }

        @Override
        public void close() {
            // The recording is reused.
        }
    }
}
