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
 * The codelets of the template interpreter: one for each bytecode, each way into a method, each way back. Made once by
 * the VM at its start, in a StubQueue, and never changed. See interpreter.hpp.
 */
public final class Codelets {
    /** The description of the code that finds a handler, or removes the frame if the method has none. */
    public static final String EXCEPTION_HANDLING = "exception handling";
    private static final int MAX_CODELETS = 4096;
    private static final int MAX_DESCRIPTION = 128;
    private static final int STUB_ALIGNMENT = 8;

    /** What a codelet does, as far as it matters for its frame. */
    public enum Kind {
        /** Executes one bytecode: the frame is complete and rsi/r13 holds the bytecode pointer. */
        BYTECODE,
        /** The way into a method: the frame is being made. */
        METHOD_ENTRY,
        /** Anything else: the frame is complete. */
        OTHER
    }

    /** One codelet. */
    public record Codelet(long begin, long end, String description, Kind kind) {
    }

    private final long[] begins;
    private final Codelet[] codelets;

    private Codelets(Codelet[] codelets) {
        this.codelets = codelets;
        this.begins = Arrays.stream(codelets).mapToLong(Codelet::begin).toArray();
    }

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
            Kind kind = text.startsWith("method entry point") ? Kind.METHOD_ENTRY
                    : bytecode >= 0 ? Kind.BYTECODE : Kind.OTHER;
            found[n++] = new Codelet(codelet + layout.codeletSize, codelet + size, text, kind);
            at += size;
        }
        return new Codelets(Arrays.copyOf(found, n));
    }

    public int count() {
        return codelets.length;
    }

    /** The codelet that holds an address, or null. */
    @Nullable public Codelet at(long pc) {
        int i = Arrays.binarySearch(begins, pc);
        int floor = i >= 0 ? i : -i - 2;
        return floor >= 0 && pc < codelets[floor].end() ? codelets[floor] : null;
    }
}
