package mayfly.hotspot.counters;

import java.nio.charset.StandardCharsets;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.tables.VmField;

/** The area of the performance counters in a VM laid out by a test. */
final class ForgedCounters {
    static final int CAPACITY = 16 * 1024;
    static final int PROLOGUE = 32;
    private static final int ENTRY = 20;
    private static final int CAUSE_BYTES = 81;

    final ForgedVm vm;
    final long start;
    private int used = PROLOGUE;
    private int entries;

    ForgedCounters(ForgedVm vm) {
        this.vm = vm;
        this.start = vm.heap.allocate(CAPACITY);
        vm.memory.putLong(vm.at(VmField.PERF_MEMORY_START), start);
        vm.memory.putLong(vm.at(VmField.PERF_MEMORY_CAPACITY), CAPACITY);
        vm.memory.putInt(start, 0xc0c0feca);
        vm.memory.putByte(start + 4, 1);
        vm.memory.putByte(start + 5, 2);
        vm.memory.putInt(start + 24, PROLOGUE);
        count();
    }

    private void count() {
        vm.memory.putInt(start + 8, used);
        vm.memory.putInt(start + 28, entries);
    }

    /** Returns the address of the next entry. */
    long next() {
        return start + used;
    }

    /** Adds an entry, and returns the address of its value. */
    private long add(String name, char type, int vector, int size) {
        long entry = next();
        byte[] text = name.getBytes(StandardCharsets.ISO_8859_1);
        int end = ENTRY + text.length + 1;
        int data = size == 8 ? end + 7 & -8 : end;
        int length = data + size + 7 & -8;
        vm.memory.putInt(entry, length);
        vm.memory.putInt(entry + 4, ENTRY);
        vm.memory.putInt(entry + 8, vector);
        vm.memory.putByte(entry + 12, type);
        vm.memory.putInt(entry + 16, data);
        vm.memory.put(entry + ENTRY, text);
        used += length;
        entries++;
        count();
        return entry + data;
    }

    /** Adds a number, and returns its address. */
    long number(String name, long value) {
        long address = add(name, 'J', 0, 8);
        vm.memory.putLong(address, value);
        return address;
    }

    /** Adds a text that does not change, and returns its address. */
    long text(String name, String text) {
        long address = add(name, 'B', text.length() + 1, text.length() + 1);
        set(address, text);
        return address;
    }

    /** Adds a text that changes, and returns its address. */
    long cause(String name, String text) {
        long address = add(name, 'B', CAUSE_BYTES, CAUSE_BYTES);
        set(address, text);
        return address;
    }

    void set(long address, String text) {
        vm.memory.put(address, (text + "\0").getBytes(StandardCharsets.ISO_8859_1));
    }
}
