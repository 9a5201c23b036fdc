package mayfly.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.wire.launch.LaunchFileFormat;
import mayfly.wire.launch.LaunchFlag;
import mayfly.wire.launch.LaunchOffset;
import mayfly.wire.life.HostState;
import mayfly.wire.message.AttachBlob;
import mayfly.wire.message.AttachFlag;
import mayfly.wire.message.AttachOffset;
import mayfly.wire.message.AttachSize;
import mayfly.wire.message.EmitOffset;
import mayfly.wire.message.GoneOffset;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;
import mayfly.wire.message.ResultOffset;
import mayfly.wire.message.RuntimeOffset;
import org.junit.jupiter.api.Test;

/**
 * The bytes of four messages, a record and a launch file, in src/test/golden. The tests of the host, in C and in Java,
 * and those of the client read the same files. A difference in a file means that another version would not understand
 * it.
 */
class GoldenTest {
    private static final Path FOLDER = Path.of("src", "test", "golden");

    private static void assertGolden(String name, byte[] bytes) throws IOException {
        if ("write".equals(System.getProperty("golden"))) {
            Files.write(FOLDER.resolve(name), bytes);
        }
        assertThat(bytes).isEqualTo(Files.readAllBytes(FOLDER.resolve(name)));
    }

    private static ByteBuffer allocate(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the payload of ATTACH. The content of each blob names the blob, except for blobs with numbers. */
    private static byte[] attach(long deadline, int flags) {
        byte[][] blobs = new byte[AttachBlob.COUNT][];
        blobs[AttachBlob.LOADER_CLASS] = text("loader");
        blobs[AttachBlob.BOOTSTRAP_CLASS] = text("bootstrap");
        blobs[AttachBlob.HOST_ENTRIES] = text("host");
        blobs[AttachBlob.PROFILER_ENTRIES] = text("profiler");
        blobs[AttachBlob.PROFILER_CLASS] = text("com.example.Profiler");
        blobs[AttachBlob.EVENTS] = new byte[] {(byte) Event.CLASS_LOADS.number(), (byte) Event.SUSPENSIONS.number()};
        blobs[AttachBlob.CLIENT_DATA] = text("data");
        blobs[AttachBlob.RUNTIME] = allocate(AttachSize.RUNTIME)
                .putInt(RuntimeOffset.RANK, 2)
                .putLong(RuntimeOffset.LIBRARY, 0x7f00_1234_5000L)
                .array();
        blobs[AttachBlob.EVENT_LOG] = new byte[0];
        int length = AttachOffset.BLOBS;
        for (byte[] blob : blobs) {
            length += 4 + blob.length;
        }
        ByteBuffer out =
                allocate(length).putLong(AttachOffset.DEADLINE, deadline).putInt(AttachOffset.FLAGS, flags);
        for (int i = 0; i < AttachSize.REQUEST; i++) {
            out.put(AttachOffset.REQUEST + i, (byte) (0xa0 + i));
        }
        out.position(AttachOffset.BLOBS);
        for (byte[] blob : blobs) {
            out.putInt(blob.length).put(blob);
        }
        return out.array();
    }

    private static byte[] message(int type, byte[] payload) {
        return allocate(MessageSize.HEAD + payload.length)
                .putInt(1 + payload.length)
                .put((byte) type)
                .put(payload)
                .array();
    }

    @Test
    void attachMessageEqualsItsGoldenFile() throws IOException {
        assertGolden(
                "attach.bin",
                message(MessageType.ATTACH, attach(0x0102_0304_0506_0708L, AttachFlag.LASTING_COST | AttachFlag.DATA)));
    }

    @Test
    void resultMessageEqualsItsGoldenFile() throws IOException {
        byte[] message = text("no room");
        assertGolden(
                "result.bin",
                message(
                        MessageType.RESULT,
                        allocate(ResultOffset.MESSAGE + message.length + 4)
                                .putInt(ResultOffset.STATUS, Status.ATTACH_REFUSED.number())
                                .putInt(ResultOffset.MESSAGE_LENGTH, message.length)
                                .put(ResultOffset.MESSAGE, message)
                                .array()));
    }

    @Test
    void emissionEqualsItsGoldenFile() throws IOException {
        byte[] emission = text("an emission");
        assertGolden(
                "emit.bin",
                message(
                        MessageType.EMIT,
                        allocate(EmitOffset.BYTES + emission.length)
                                .putLong(EmitOffset.DROPPED, 2)
                                .put(EmitOffset.BYTES, emission)
                                .array()));
    }

    @Test
    void goneMessageEqualsItsGoldenFile() throws IOException {
        assertGolden(
                "gone.bin",
                message(
                        MessageType.GONE,
                        allocate(MessageSize.GONE)
                                .putLong(GoneOffset.NANOS, 5_000_000)
                                .putInt(GoneOffset.COLLECTIONS, 2)
                                .putInt(GoneOffset.REMAINING_CLASSES, 1)
                                .array()));
    }

    @Test
    void recordEqualsItsGoldenFile() throws IOException {
        ByteBuffer out = allocate(HostRecordFile.SIZE)
                .put(RecordOffset.MAGIC, text(HostRecordFile.MAGIC))
                .putInt(RecordOffset.SEQUENCE, 6)
                .putInt(RecordOffset.STATE, HostState.PINNED)
                .putLong(RecordOffset.ATTACHED_AT, 1_000_000_000_001L)
                .putLong(RecordOffset.DETACH_AT, 1_000_000_000_002L)
                .putLong(RecordOffset.DETACH_EXPECTED, 5_000_000_000L)
                .putLong(RecordOffset.CALLBACKS, 3)
                .putInt(RecordOffset.JVMTI, 1)
                .putInt(RecordOffset.REMAINING_CLASSES, 1)
                .putLong(RecordOffset.LOST, 4)
                .putLong(RecordOffset.THROWN, 5)
                .putInt(RecordOffset.RUNTIME, 2)
                .putInt(RecordOffset.COLLECTIONS, 6)
                .putInt(RecordOffset.UNMARKED_REDEFINITIONS, 9)
                .putInt(RecordOffset.REPLACED_FRAMES, 8)
                .putLong(RecordOffset.LIBRARY, 0x7f00_1234_5000L)
                .putLong(RecordOffset.COLLECTING, 7_000_000)
                .putLong(RecordOffset.CODE, 0x7f00_6789_a000L)
                .putInt(RecordOffset.THREAD, 4710)
                .putInt(RecordOffset.STOPS_LISTENER, 1)
                .put(RecordOffset.CHANNEL, text("/tmp/.mayfly-17-0011223344556677/s"))
                .put(RecordOffset.PROFILER, text("com.example.Profiler"))
                .put(RecordOffset.PINNED_BY, text("thread \"x\""));
        for (int i = 0; i < RecordSize.REQUEST; i++) {
            out.put(RecordOffset.REQUEST + i, (byte) (0xa0 + i));
        }
        int last = RecordOffset.RUNNING + (HostRecordFile.SLOTS - 1) * HostRecordFile.SLOT_SIZE;
        out.putInt(last + RunningOffset.TID, 4711)
                .putInt(last + RunningOffset.KIND, UpcallKind.CLASS_LOADED)
                .putLong(last + RunningOffset.SINCE, 1_000_000_000_003L);
        assertGolden("record.bin", out.array());
    }

    @Test
    void launchFileEqualsItsGoldenFile() throws IOException {
        byte[] library = text("library");
        byte[] attach = attach(0, AttachFlag.DATA | AttachFlag.AT_LAUNCH);
        ByteBuffer out = allocate(LaunchOffset.LIBRARY + library.length + 4 + attach.length)
                .put(LaunchOffset.MAGIC, text(LaunchFileFormat.MAGIC))
                .putInt(LaunchOffset.FLAGS, LaunchFlag.REMAINING_CLASSES)
                .putLong(LaunchOffset.LIMIT, 10_000_000_000L)
                .putLong(LaunchOffset.VERSIONS, 1L << 17 | 1L << 26)
                .putInt(LaunchOffset.LIBRARY_LENGTH, library.length)
                .put(LaunchOffset.LIBRARY, library)
                .putInt(LaunchOffset.LIBRARY + library.length, attach.length)
                .put(LaunchOffset.LIBRARY + library.length + 4, attach);
        CRC32 checksum = new CRC32();
        checksum.update(out.array(), LaunchOffset.FLAGS, out.capacity() - LaunchOffset.FLAGS);
        assertGolden(
                "launch.bin",
                out.putInt(LaunchOffset.CHECKSUM, (int) checksum.getValue()).array());
    }
}
