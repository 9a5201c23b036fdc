package mayfly.process.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import mayfly.arch.x86.X86_64;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import org.junit.jupiter.api.Test;

class RecordedProcessTest {
    private static final long START = 0x7f00_0000_1000L;

    /** A memory of one page whose bytes count up. Every other address faults. */
    private static final Memory PAGE = (address, to, offset, length) -> {
        if (address < START || address + length > START + 4096) {
            throw new MemoryFault(address, length);
        }
        for (int i = 0; i < length; i++) {
            to[offset + i] = (byte) (address + i - START);
        }
    };

    @Test
    void onlyRecordedBlocksAreReadable() throws Exception {
        ProcessSnapshot snapshot = new ProcessSnapshot(X86_64.ARCHITECTURE);
        Memory memory = snapshot.record(PAGE);
        assertThat(memory.readLong(START + 60)).isEqualTo(0x43424140_3f3e3d3cL);

        Memory replayed = written(snapshot).memory();
        assertThat(replayed.readLong(START + 60)).isEqualTo(0x43424140_3f3e3d3cL);
        assertThat(replayed.readByte(START + 127)).isEqualTo(127);
        assertThatThrownBy(() -> replayed.readByte(START + 128)).isInstanceOf(MemoryFault.class);
        assertThatThrownBy(() -> replayed.readLong(START + 124)).isInstanceOf(MemoryFault.class);
    }

    @Test
    void recordedFaultHidesTheLayerBelow() throws Exception {
        ProcessSnapshot before = new ProcessSnapshot(X86_64.ARCHITECTURE);
        before.record((address, to, offset, length) -> {}).readByte(START + 4096);
        ProcessSnapshot snapshot = new ProcessSnapshot(X86_64.ARCHITECTURE);
        Memory memory = snapshot.record(PAGE);
        byte[] over = new byte[64];
        assertThatThrownBy(() -> memory.read(START + 4064, over, 0, 64)).isInstanceOf(MemoryFault.class);

        Memory replayed = RecordedProcess.read(
                        X86_64.ARCHITECTURE, SnapshotFormat.write(before), SnapshotFormat.write(snapshot))
                .memory();
        assertThat(replayed.readByte(START + 4064)).isEqualTo(4064 & 0xff);
        assertThatThrownBy(() -> replayed.readByte(START + 4096)).isInstanceOf(MemoryFault.class);
    }

    @Test
    void secondReadReturnsTheFirstValue() throws Exception {
        byte[] value = {1};
        Memory changing = new ProcessSnapshot(X86_64.ARCHITECTURE)
                .record((address, to, offset, length) -> to[offset] = value[0]++);
        assertThat(changing.readByte(0)).isEqualTo(1);
        assertThat(changing.readByte(0)).isEqualTo(1);
    }

    @Test
    void recordingIsRestoredFromItsLayers() throws Exception {
        ProcessSnapshot one = snapshot(7);
        ProcessSnapshot other = snapshot(8);
        ProcessSnapshot common = ProcessSnapshot.common(List.of(one, other));
        byte[] base = SnapshotFormat.write(common);

        assertThat(RecordedProcess.read(X86_64.ARCHITECTURE, base).snapshot().walk())
                .isNull();
        RecordedProcess read =
                RecordedProcess.read(X86_64.ARCHITECTURE, base, SnapshotFormat.write(other.over(common)));
        assertThat(read.pid()).isEqualTo(42);
        assertThat(read.mappings()).isEqualTo(one.mappings());
        assertThat(read.snapshot().symbols()).isEqualTo(Map.of("gHotSpotVMStructs", 99L, "missing", 0L));
        assertThat(read.memory().readByte(START + 9)).isEqualTo(9);
        assertThat(read.memory().readByte(64 * 8)).isEqualTo(8);
        assertThat(read.threads()).singleElement().extracting(TargetThread::tid).isEqualTo(8);
        RecordedWalk walk = read.snapshot().walk();
        assertThat(walk).isNotNull();
        assertThat(walk.registers().knows(X86_64.RIP)).isTrue();
        assertThat(walk.registers().knows(X86_64.RAX)).isFalse();
        assertThat(walk.stack()).containsExactly(1, 2);
    }

    @Test
    void unrecordedPartsOfAFileAreZeros() throws Exception {
        RecordedProcess read = written(snapshot(1));
        assertThat(read.file(read.mappings().getFirst()).toArray(ValueLayout.JAVA_BYTE))
                .containsExactly(0, 0, 0, 5, 6, 0);
        Mapping other = new Mapping(0, 1, true, false, true, 0, "fe:00", 78, "/other");
        assertThatThrownBy(() -> read.file(other)).isInstanceOf(IOException.class);
    }

    private static RecordedProcess written(ProcessSnapshot snapshot) throws BadSnapshot {
        return RecordedProcess.read(X86_64.ARCHITECTURE, SnapshotFormat.write(snapshot));
    }

    private static ProcessSnapshot snapshot(int tid) throws MemoryFault {
        ProcessSnapshot snapshot = new ProcessSnapshot(X86_64.ARCHITECTURE);
        snapshot.pid(42);
        snapshot.mappings(List.of(new Mapping(4096, 8192, true, false, true, 0, "fe:00", 77, "/lib/libjvm.so")));
        snapshot.symbol("gHotSpotVMStructs", 99);
        snapshot.symbol("missing", 0);
        snapshot.record(PAGE).readLong(START);
        snapshot.record((address, to, offset, length) -> java.util.Arrays.fill(to, (byte) tid))
                .readByte(64L * tid);
        snapshot.file(new RecordedFile("fe:00", 77, "/lib/libjvm.so", 6, Map.of(3L, new byte[] {5, 6})));
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.set(X86_64.RIP, 5000);
        snapshot.walk(new RecordedWalk(
                        new TargetThread(tid, "main", 'R', 0, 0, 0), registers, 1, 2, 4096, new long[] {1, 2, 3})
                .upTo(2));
        return snapshot;
    }
}
