package mayfly.linux.bpf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;

/**
 * The layout of the running kernel's structures, from the type information in /sys/kernel/btf/vmlinux; see the
 * kernel's Documentation/bpf/btf.rst.
 */
public final class KernelTypes {
    private static final String FILE = "/sys/kernel/btf/vmlinux";
    /** Upper bound on the file size; the file of Linux 6.18 has 5.5 MB. */
    private static final int MAX_FILE = 64 << 20;

    private static final int MAGIC = 0xEB9F;
    private static final int HEADER = 24;
    private static final int STRUCT = 4;
    /**
     * Sizes of struct btf_type and of the data that follows it, by kind: bytes for the type, and for each of its
     * {@code vlen} members.
     */
    private static final int TYPE = 12;

    private static final int[] AFTER_TYPE = {0, 4, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0};
    private static final int[] FOR_EACH_PART = {0, 0, 0, 0, 12, 12, 8, 0, 0, 0, 0, 0, 0, 8, 0, 12, 0, 0, 0, 12};
    private static final int MEMBER = 12;

    private final ByteBuffer types;
    private final ByteBuffer strings;

    private KernelTypes(ByteBuffer types, ByteBuffer strings) {
        this.types = types;
        this.strings = strings;
    }

    /**
     * Returns the offset of the thread pointer in struct task_struct, in bytes; empty if the kernel does not publish
     * its types, or has no such field.
     */
    public static OptionalInt offsetOfThreadPointer() {
        // In native memory, which is released at once: the heap would stay larger for the whole recording.
        try (Fd file = Open.readOnly(FILE);
                Arena arena = Arena.ofConfined()) {
            long size = Statx.of(file).size();
            return size > MAX_FILE
                    ? OptionalInt.empty()
                    : offsetOfThreadPointer(file.read(arena.allocate(size)).asByteBuffer());
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    static OptionalInt offsetOfThreadPointer(ByteBuffer file) {
        try {
            KernelTypes types = parse(file.order(ByteOrder.LITTLE_ENDIAN));
            return types.offsetOf("task_struct", "thread", "thread_struct", Cpu.ABI.threadPointer());
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return OptionalInt.empty(); // an unknown format
        }
    }

    /**
     * struct btf_header: u16 magic, u8 version, u8 flags, u32 length, then offset and length of types and of strings.
     */
    private static KernelTypes parse(ByteBuffer file) {
        if ((file.getShort(0) & 0xffff) != MAGIC || file.getInt(4) < HEADER) {
            throw new IllegalArgumentException("no type information");
        }
        int data = file.getInt(4);
        return new KernelTypes(
                slice(file, data, file.getInt(8), file.getInt(12)),
                slice(file, data, file.getInt(16), file.getInt(20)));
    }

    private static ByteBuffer slice(ByteBuffer file, int data, int offset, int length) {
        return file.slice(Math.addExact(data, offset), length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Returns the sum of the offsets of a structure's member and of a member of another structure, in bytes; empty if
     * one of them is missing. There are some 150,000 types, so they are read once for both.
     */
    private OptionalInt offsetOf(String structure, String member, String inner, String innerMember) {
        byte[] name = ascii(structure);
        byte[] innerName = ascii(inner);
        int outer = -1;
        int within = -1;
        for (int at = 0; at < types.limit() && (outer < 0 || within < 0); ) {
            int info = types.getInt(at + 4);
            int kind = info >>> 24 & 31;
            int parts = info & 0xffff;
            if (kind >= AFTER_TYPE.length) {
                throw new IllegalArgumentException("unknown kind of type " + kind);
            }
            if (kind == STRUCT && outer < 0 && isNamed(types.getInt(at), name)) {
                outer = offsetOf(at + TYPE, parts, info < 0, ascii(member));
            } else if (kind == STRUCT && within < 0 && isNamed(types.getInt(at), innerName)) {
                within = offsetOf(at + TYPE, parts, info < 0, ascii(innerMember));
            }
            at += TYPE + AFTER_TYPE[kind] + parts * FOR_EACH_PART[kind];
        }
        return outer < 0 || within < 0 ? OptionalInt.empty() : OptionalInt.of(outer + within);
    }

    private static byte[] ascii(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** struct btf_member: u32 name, u32 type, u32 offset in bits; with the flag, the offset has 24 bits. */
    private int offsetOf(int members, int count, boolean flag, byte[] name) {
        for (int i = 0; i < count; i++) {
            int at = members + i * MEMBER;
            if (isNamed(types.getInt(at), name)) {
                int bits = types.getInt(at + 8) & (flag ? 0xff_ffff : -1);
                return bits < 0 || bits % 8 != 0 ? -1 : bits / 8;
            }
        }
        return -1;
    }

    private boolean isNamed(int at, byte[] name) {
        for (int i = 0; i < name.length; i++) {
            if (strings.get(at + i) != name[i]) {
                return false;
            }
        }
        return strings.get(at + name.length) == 0;
    }
}
