package mayfly.process.replay;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import mayfly.process.Mapping;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/** The binary format of a recorded process, see docs/formats/recorded-process.md. */
public final class SnapshotFormat {
    private static final byte[] MAGIC = "mayfly-process 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_BODY = 64 << 20;
    private static final int BLOCK = MemoryBlocks.BLOCK;

    private SnapshotFormat() {}

    public static byte[] write(ProcessSnapshot snapshot) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(MAGIC);
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(bytes))) {
            out.writeInt(snapshot.pid());
            out.writeInt(snapshot.mappings().size());
            for (Mapping mapping : snapshot.mappings()) {
                write(mapping, out);
            }
            out.writeInt(snapshot.symbols().size());
            for (Map.Entry<String, Long> symbol : snapshot.symbols().entrySet()) {
                out.writeUTF(symbol.getKey());
                out.writeLong(symbol.getValue());
            }
            out.writeInt(snapshot.names().size());
            for (Map.Entry<String, String> name : snapshot.names().entrySet()) {
                out.writeUTF(name.getKey());
                out.writeUTF(name.getValue());
            }
            write(snapshot.memory(), out);
            out.writeInt(snapshot.files().size());
            for (RecordedFile file : snapshot.files()) {
                write(file, out);
            }
            write(snapshot.walk(), out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(Mapping mapping, DataOutputStream out) throws IOException {
        out.writeLong(mapping.start());
        out.writeLong(mapping.end());
        out.writeByte((mapping.readable() ? 1 : 0) | (mapping.writable() ? 2 : 0) | (mapping.executable() ? 4 : 0));
        out.writeLong(mapping.offset());
        out.writeUTF(mapping.device());
        out.writeLong(mapping.inode());
        out.writeUTF(mapping.path());
    }

    /** Writes the numbers of all blocks before their contents, because the result compresses better. */
    private static void write(MemoryBlocks memory, DataOutputStream out) throws IOException {
        out.writeInt(memory.faults().size());
        for (long number : memory.faults()) {
            out.writeLong(number);
        }
        out.writeInt(memory.blocks().size());
        long last = 0;
        for (long number : memory.blocks().keySet()) {
            out.writeLong(number - last);
            last = number;
        }
        for (byte[] block : memory.blocks().values()) {
            out.write(block);
        }
    }

    private static void write(RecordedFile file, DataOutputStream out) throws IOException {
        out.writeUTF(file.device());
        out.writeLong(file.inode());
        out.writeUTF(file.path());
        out.writeLong(file.size());
        out.writeInt(file.parts().size());
        for (Map.Entry<Long, byte[]> part : file.parts().entrySet()) {
            out.writeLong(part.getKey());
            out.writeInt(part.getValue().length);
            out.write(part.getValue());
        }
    }

    private static void write(@Nullable RecordedWalk walk, DataOutputStream out) throws IOException {
        out.writeBoolean(walk != null);
        if (walk == null) {
            return;
        }
        out.writeInt(walk.thread().tid());
        out.writeUTF(walk.thread().name());
        for (int r = 0; r < walk.registers().architecture().registers(); r++) {
            out.writeBoolean(walk.registers().knows(r));
            out.writeLong(walk.registers().get(r));
        }
        out.writeLong(walk.timeNanos());
        out.writeLong(walk.epochNanos());
        out.writeLong(walk.stackBase());
        out.writeInt(walk.stack().length);
        for (long word : walk.stack()) {
            out.writeLong(word);
        }
    }

    static void read(byte[] layer, ProcessSnapshot into) throws BadSnapshot {
        if (layer.length < MAGIC.length || !Arrays.equals(MAGIC, 0, MAGIC.length, layer, 0, MAGIC.length)) {
            throw new BadSnapshot("not a recorded process of format 1");
        }
        try (GZIPInputStream in =
                new GZIPInputStream(new ByteArrayInputStream(layer, MAGIC.length, layer.length - MAGIC.length))) {
            byte[] body = in.readNBytes(MAX_BODY + 1);
            if (body.length > MAX_BODY) {
                throw new BadSnapshot("more than " + MAX_BODY + " bytes");
            }
            new Reader(body, into).read();
        } catch (IOException | IllegalArgumentException e) {
            throw new BadSnapshot("damaged: " + e.getMessage());
        }
    }

    /** Reads a body. Every count is checked against the remaining bytes before anything is allocated for it. */
    private static final class Reader {
        private final ByteArrayInputStream bytes;
        private final DataInputStream in;
        private final ProcessSnapshot into;

        Reader(byte[] body, ProcessSnapshot into) {
            this.bytes = new ByteArrayInputStream(body);
            this.in = new DataInputStream(bytes);
            this.into = into;
        }

        void read() throws IOException {
            into.pid(in.readInt());
            List<Mapping> mappings = new ArrayList<>();
            for (int left = count(37); left > 0; left--) {
                mappings.add(mapping());
            }
            if (!mappings.isEmpty()) {
                into.mappings(mappings);
            }
            for (int left = count(10); left > 0; left--) {
                into.symbol(in.readUTF(), in.readLong());
            }
            for (int left = count(4); left > 0; left--) {
                into.names().put(in.readUTF(), in.readUTF());
            }
            memory(into.memory());
            for (int left = count(24); left > 0; left--) {
                into.file(file());
            }
            if (in.readBoolean()) {
                into.walk(walk());
            }
            if (bytes.available() > 0) {
                throw new IOException(bytes.available() + " bytes too many");
            }
        }

        private int count(int smallest) throws IOException {
            int count = in.readInt();
            if (count < 0 || count > bytes.available() / smallest) {
                throw new IOException("a count of " + count + " with " + bytes.available() + " bytes left");
            }
            return count;
        }

        private Mapping mapping() throws IOException {
            long start = in.readLong();
            long end = in.readLong();
            int flags = in.readUnsignedByte();
            return new Mapping(
                    start,
                    end,
                    (flags & 1) != 0,
                    (flags & 2) != 0,
                    (flags & 4) != 0,
                    in.readLong(),
                    in.readUTF(),
                    in.readLong(),
                    in.readUTF());
        }

        private void memory(MemoryBlocks memory) throws IOException {
            for (int left = count(8); left > 0; left--) {
                memory.putFault(in.readLong());
            }
            long[] numbers = new long[count(8 + BLOCK)];
            long last = 0;
            for (int i = 0; i < numbers.length; i++) {
                last += in.readLong();
                numbers[i] = last;
            }
            for (long number : numbers) {
                memory.put(number, bytes(BLOCK));
            }
        }

        private RecordedFile file() throws IOException {
            String device = in.readUTF();
            long inode = in.readLong();
            String path = in.readUTF();
            long size = in.readLong();
            Map<Long, byte[]> parts = new TreeMap<>();
            for (int left = count(12); left > 0; left--) {
                long at = in.readLong();
                parts.put(at, bytes(count(1)));
            }
            return new RecordedFile(device, inode, path, size, parts);
        }

        private RecordedWalk walk() throws IOException {
            TargetThread thread = new TargetThread(in.readInt(), in.readUTF(), '?', 0, 0, 0);
            Registers registers = new Registers(into.architecture());
            for (int r = 0; r < into.architecture().registers(); r++) {
                boolean known = in.readBoolean();
                registers.set(r, in.readLong());
                if (!known) {
                    registers.forget(r);
                }
            }
            long time = in.readLong();
            long epoch = in.readLong();
            long base = in.readLong();
            long[] stack = new long[count(8)];
            for (int i = 0; i < stack.length; i++) {
                stack[i] = in.readLong();
            }
            return new RecordedWalk(thread, registers, time, epoch, base, stack);
        }

        private byte[] bytes(int n) throws IOException {
            byte[] read = new byte[n];
            in.readFully(read);
            return read;
        }
    }
}
