package mayfly.hotspot.code;

import java.util.Arrays;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.tables.VmStructs;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * The codelets of the template interpreter: one for each bytecode, each method entry and each return entry. The VM
 * creates them once at startup, in a StubQueue, then releases the rest of the queue's buffer, and never changes them.
 * See interpreter.hpp.
 */
public final class Codelets {
    /** The description of the code that finds an exception handler, or removes the frame if the method has none. */
    public static final String EXCEPTION_HANDLING = "exception handling";

    private static final int MAX_CODELETS = 4096;
    private static final int MAX_DESCRIPTION = 128;
    private static final int STUB_ALIGNMENT = 8;

    /** The function of a codelet, as far as it determines the state of its frame. */
    public enum Kind {
        /** Executes one bytecode. The frame is complete, and a register contains the bytecode pointer. */
        BYTECODE,
        /** A method entry. The frame is under construction. */
        METHOD_ENTRY,
        /** Any other codelet. The frame is complete. */
        OTHER
    }

    /** One codelet. */
    public record Codelet(long begin, long end, String description, Kind kind) {}

    private final long[] begins;
    private final Codelet[] codelets;
    private final boolean complete;

    private Codelets(Codelet[] codelets, boolean complete) {
        this.codelets = codelets;
        this.complete = complete;
        this.begins = Arrays.stream(codelets).mapToLong(Codelet::begin).toArray();
    }

    /**
     * Reads the codelets of the VM's interpreter.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public static Codelets read(Memory memory, VmLayout layout) throws MemoryFault, BadMetadata {
        long queue = memory.readLong(layout.at(VmField.INTERPRETER_CODE));
        if (queue == 0) {
            throw new BadMetadata("AbstractInterpreter._code is null");
        }
        long buffer = memory.readLong(queue + layout.at(VmField.STUB_QUEUE_BUFFER));
        int limit = memory.readInt(queue + layout.at(VmField.STUB_QUEUE_LIMIT));
        int at = memory.readInt(queue + layout.at(VmField.STUB_QUEUE_BEGIN));
        int end = memory.readInt(queue + layout.at(VmField.STUB_QUEUE_END));
        if (at < 0 || end < at || end > limit || limit > 64 << 20) {
            throw new BadMetadata("the interpreter's StubQueue from " + at + " to " + end + " of " + limit);
        }
        Codelet[] found = new Codelet[MAX_CODELETS];
        int n = 0;
        while (at < end) {
            long codelet = buffer + at;
            int size = memory.readInt(codelet + layout.at(VmField.CODELET_SIZE));
            if (size < layout.codeletSize || size % STUB_ALIGNMENT != 0 || size > end - at || n == MAX_CODELETS) {
                throw new BadMetadata("InterpreterCodelet of " + size + " bytes");
            }
            long description = memory.readLong(codelet + layout.at(VmField.CODELET_DESCRIPTION));
            String text = description == 0 ? "" : VmStructs.string(memory, description, MAX_DESCRIPTION);
            int bytecode = memory.readInt(codelet + layout.at(VmField.CODELET_BYTECODE));
            Kind kind = bytecode >= 0 ? Kind.BYTECODE : Kind.OTHER;
            if (text.startsWith("method entry point")) {
                kind = Kind.METHOD_ENTRY;
            }
            found[n++] = new Codelet(codelet + layout.codeletSize, codelet + size, text, kind);
            at += size;
        }
        return new Codelets(Arrays.copyOf(found, n), limit - end < layout.codeletSize);
    }

    /**
     * Returns false if the VM was still creating codelets. A VM of JDK 25 lists its first thread before it has created
     * all codelets.
     */
    public boolean isComplete() {
        return complete;
    }

    public int count() {
        return codelets.length;
    }

    /** Returns the codelet that contains an address, or null. */
    @Nullable
    public Codelet at(long pc) {
        int i = Arrays.binarySearch(begins, pc);
        int floor = i >= 0 ? i : -i - 2;
        return floor >= 0 && pc < codelets[floor].end() ? codelets[floor] : null;
    }
}
