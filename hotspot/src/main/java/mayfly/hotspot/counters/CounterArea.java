package mayfly.hotspot.counters;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * The area in which a VM keeps its performance counters: PerfDataPrologue, and a PerfDataEntry for each counter. All of
 * it is untrusted. Entries after one with an implausible length are not found.
 *
 * <p>The VM fills the area while it starts; a counter stays where it is.
 */
final class CounterArea {
    /** Upper bound on the size, that of -XX:PerfDataMemorySize. The default is 32 KiB. */
    private static final int MAX_BYTES = 64 * 32 * 1024;

    private static final int MAX_NAME = 128;
    /** The first four bytes, as a little-endian number. */
    private static final int MAGIC = 0xc0c0feca;

    private static final int LITTLE_ENDIAN = 1;
    private static final int MAJOR_VERSION = 2;

    /** The size of the prologue, and offsets in it. */
    private static final int PROLOGUE = 32;

    private static final int AT_BYTE_ORDER = 4;
    private static final int AT_MAJOR_VERSION = 5;
    private static final int AT_USED = 8;
    private static final int AT_ENTRY_OFFSET = 24;
    private static final int AT_ENTRIES = 28;

    /** The size of an entry's fixed part, and offsets in it. */
    private static final int ENTRY = 20;

    private static final int AT_NAME_OFFSET = 4;
    private static final int AT_VECTOR_LENGTH = 8;
    private static final int AT_TYPE = 12;
    private static final int AT_DATA_OFFSET = 16;

    private final ByteBuffer bytes;
    private final long start;
    private final Map<String, Value> values = new HashMap<>();

    /**
     * The value of a counter.
     *
     * @param at its offset in the area; all its bytes are in the area
     * @param length the number of its bytes
     * @param isText true for a string, which ends with a zero or at its length; false for a 64-bit number
     */
    private record Value(int at, int length, boolean isText) {}

    private CounterArea(byte[] copy, long start) {
        this.bytes = ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN);
        this.start = start;
        int at = bytes.getInt(AT_ENTRY_OFFSET);
        int entries = bytes.getInt(AT_ENTRIES);
        for (int i = 0; i < entries && at >= PROLOGUE && at <= copy.length - ENTRY; i++) {
            int length = bytes.getInt(at);
            if (length < ENTRY || length > copy.length - at) {
                return;
            }
            add(at, length);
            at += length;
        }
    }

    /** Copies the area. Empty if the VM keeps none, as with -XX:-UsePerfData, or if its prologue is implausible. */
    static Optional<CounterArea> read(Memory memory, VmLayout layout) {
        if (!layout.has(VmField.PERF_MEMORY_START) || !layout.has(VmField.PERF_MEMORY_CAPACITY)) {
            return Optional.empty();
        }
        Memory now = new UncachedMemory(memory);
        try {
            long start = now.readLong(layout.at(VmField.PERF_MEMORY_START));
            long capacity = now.readLong(layout.at(VmField.PERF_MEMORY_CAPACITY));
            if (start == 0 || (start & 7) != 0 || capacity < PROLOGUE || capacity > MAX_BYTES) {
                return Optional.empty();
            }
            int used = now.readInt(start + AT_USED);
            if (used < PROLOGUE || used > capacity) {
                return Optional.empty();
            }
            byte[] copy = new byte[used];
            now.read(start, copy, 0, used);
            return isKnown(ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN))
                    ? Optional.of(new CounterArea(copy, start))
                    : Optional.empty();
        } catch (MemoryFault e) {
            return Optional.empty(); // the process is ending
        }
    }

    private static boolean isKnown(ByteBuffer prologue) {
        return prologue.getInt(0) == MAGIC
                && prologue.get(AT_BYTE_ORDER) == LITTLE_ENDIAN
                && prologue.get(AT_MAJOR_VERSION) == MAJOR_VERSION;
    }

    /** Adds the counter of an entry, unless its parts lie outside it, or its value is of another type. */
    private void add(int entry, int length) {
        int nameAt = bytes.getInt(entry + AT_NAME_OFFSET);
        int vector = bytes.getInt(entry + AT_VECTOR_LENGTH);
        byte type = bytes.get(entry + AT_TYPE);
        int dataAt = bytes.getInt(entry + AT_DATA_OFFSET);
        boolean isNumber = type == 'J' && vector == 0;
        boolean isText = type == 'B' && vector > 0;
        int size = isNumber ? Long.BYTES : vector;
        if (!isNumber && !isText || nameAt < ENTRY || nameAt >= length || dataAt < ENTRY || dataAt > length - size) {
            return;
        }
        String name = text(entry + nameAt, Math.min(length - nameAt, MAX_NAME));
        if (name.length() < MAX_NAME) {
            values.putIfAbsent(name, new Value(entry + dataAt, size, isText));
        }
    }

    /** Returns the bytes up to the first zero, at most {@code limit} of them. */
    private String text(int at, int limit) {
        int length = 0;
        while (length < limit && bytes.get(at + length) != 0) {
            length++;
        }
        return new String(bytes.array(), at, length, StandardCharsets.ISO_8859_1);
    }

    /** Returns the address of a number, 0 if the VM has no such number. */
    long numberAt(String name) {
        Value value = values.get(name);
        return value == null || value.isText() || (value.at() & 7) != 0 ? 0 : start + value.at();
    }

    /** Returns a number as it was when the area was copied. */
    long number(String name, long otherwise) {
        Value value = values.get(name);
        return value == null || value.isText() ? otherwise : bytes.getLong(value.at());
    }

    /** Returns the place of a text, at most {@code limit} bytes long; one of no words if the VM has no such text. */
    TextPlace textAt(String name, int limit) {
        Value value = values.get(name);
        return value == null || !value.isText()
                ? TextPlace.NONE
                : new TextPlace(start + value.at(), Math.min(value.length(), limit));
    }

    /** Returns a text as it was when the area was copied, at most {@code limit} bytes of it; empty if there is none. */
    String text(String name, int limit) {
        Value value = values.get(name);
        return value == null || !value.isText() ? "" : text(value.at(), Math.min(value.length(), limit));
    }
}
