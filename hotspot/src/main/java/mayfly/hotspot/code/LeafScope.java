package mayfly.hotspot.code;

import mayfly.arch.Instruction;
import mayfly.arch.InstructionSet;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Finds the PcDesc that describes a sampled program counter of a compiled method.
 *
 * <p>With {@code DebugNonSafepoints} it is the next PcDesc. Without it the compilers describe calls and polls only, and
 * the method that ran lies between two of them. But compiled code has many branches to rarely executed calls: traps,
 * slow paths of allocation, exceptions. Such a branch belongs to the bytecode that may need the call, so it has the
 * scope of the call. The same holds for an instruction whose fault raises an exception. This class takes the nearer of
 * the described locations before and after the program counter. It prefers the location after, because the next branch
 * usually uses the result of an instruction. See docs/accuracy.md for the measured accuracy.
 */
public final class LeafScope {
    /** No PcDesc applies; only the compiled method itself is known. */
    public static final int NONE = -1;

    private static final int MAX_AHEAD = 64;
    private static final int MAX_BEHIND = 64;
    /**
     * Upper bound on the distance to the preceding instruction whose address is known, in bytes. Instructions can only
     * be decoded forward from such an instruction.
     */
    private static final int BYTES_BEHIND = 4096;

    private static final int MAX_OF_PATH = 40;
    /**
     * The location after the program counter is preferred if its distance is at most this multiple of the distance of
     * the location before it, plus {@link #HEAD_START}.
     */
    private static final int PREFERENCE = 3;
    /** A number of instructions: see {@link #PREFERENCE}. */
    private static final int HEAD_START = 2;

    private static final int CHUNK = 256;

    /**
     * The result of a search.
     *
     * @param pcDesc the index of the PcDesc, or {@link #NONE}
     * @param exact true if the VM recorded it for this instruction
     */
    public record Found(int pcDesc, boolean exact) {}

    /** A described location: its PcDesc, and its distance in instructions. */
    private record Place(int pcDesc, int distance) {
        static final Place NOWHERE = new Place(NONE, Integer.MAX_VALUE);
    }

    private final Nmethod nmethod;
    private final DebugInfo info;
    private final Memory memory;
    private final InstructionSet instructions;
    private final Instruction instruction;
    private final int codeLength;
    private byte[] chunk = {};
    private int chunkAt;

    private LeafScope(Nmethod nmethod, DebugInfo info, Memory memory, InstructionSet instructions) {
        this.nmethod = nmethod;
        this.info = info;
        this.memory = memory;
        this.instructions = instructions;
        this.instruction = instructions.instruction();
        this.codeLength = (int) Math.min(nmethod.codeEnd - nmethod.codeBegin, Integer.MAX_VALUE);
    }

    /**
     * Finds the PcDesc of an instruction that was about to be executed.
     *
     * @param offset bytes from the start of the code
     * @param everywhere true if the VM recorded debug information for all instructions
     * @param instructions the instructions of the target's CPU
     */
    public static Found at(
            int offset,
            boolean everywhere,
            Nmethod nmethod,
            DebugInfo info,
            Memory memory,
            InstructionSet instructions) {
        LeafScope search = new LeafScope(nmethod, info, memory, instructions);
        try {
            int exact = search.exact(offset);
            if (exact != NONE) {
                return new Found(exact, true);
            }
            return everywhere ? new Found(info.pcDesc(offset, PcKind.INTERRUPTED), true) : search.nearest(offset);
        } catch (MemoryFault e) {
            return new Found(info.pcDesc(offset, PcKind.INTERRUPTED), everywhere);
        }
    }

    /** Returns the PcDesc of the call or the poll at an offset. */
    private int exact(int offset) throws MemoryFault {
        return decode(offset) ? described(offset) : NONE;
    }

    /** Returns the PcDesc of the instruction just decoded: for a call at its end, for a poll at its start. */
    private int described(int offset) throws MemoryFault {
        int end = offset + instruction.length();
        if (instruction.isCall()) {
            return info.hasPcDescAt(end) ? info.pcDesc(end, PcKind.RETURN) : NONE;
        }
        return info.hasPcDescAt(offset) && !instructions.callEndsAt(nmethod.codeBegin + offset, memory)
                ? info.pcDesc(offset, PcKind.RETURN)
                : NONE;
    }

    private Found nearest(int offset) throws MemoryFault {
        Place after = after(offset);
        Place before = before(offset);
        boolean isAfter = before.pcDesc == NONE
                || after.pcDesc != NONE && after.distance <= PREFERENCE * before.distance + HEAD_START;
        return new Found(isAfter ? after.pcDesc : before.pcDesc, false);
    }

    /** Returns the first described location reached from an offset if no branch to a rare path is taken. */
    private Place after(int offset) throws MemoryFault {
        int at = offset;
        for (int distance = 0; distance < MAX_AHEAD && decode(at); distance++) {
            int next = at + instruction.length();
            boolean ends = instruction.ends();
            int jump = instruction.isJump() ? next + (int) instruction.jumpDistance() : NONE;
            int pcDesc = place(at);
            if (pcDesc != NONE) {
                return new Place(pcDesc, distance);
            }
            if (ends && jump == NONE) {
                break;
            }
            at = ends ? jump : next;
        }
        return Place.NOWHERE;
    }

    /** Returns the last described location before an offset from which execution falls through to the offset. */
    private Place before(int offset) throws MemoryFault {
        int last = info.pcDescAtOrBefore(offset);
        int at = last == NONE ? begin() : info.pcOffset(last);
        if (offset - at > BYTES_BEHIND || at > offset) {
            return Place.NOWHERE;
        }
        int pcDesc = last != NONE && instructions.callEndsAt(nmethod.codeBegin + at, memory) ? last : NONE;
        int distance = 1;
        while (at < offset) {
            if (!decode(at)) {
                return Place.NOWHERE;
            }
            int next = at + instruction.length();
            boolean ends = instruction.ends();
            int here = place(at);
            distance = here != NONE ? 1 : distance + 1;
            if (ends || here != NONE) {
                pcDesc = ends ? NONE : here;
            }
            at = next;
        }
        return pcDesc == NONE || at != offset || distance > MAX_BEHIND ? Place.NOWHERE : new Place(pcDesc, distance);
    }

    /** Returns the offset at which the frame is complete; 0 if it is unknown. */
    private int begin() {
        boolean isKnown = nmethod.codeBegin + nmethod.frameComplete < nmethod.codeEnd;
        return isKnown ? Math.max(0, nmethod.frameComplete) : 0;
    }

    /**
     * Returns the PcDesc that describes the instruction just decoded: its own, or that of the rare path it may branch
     * to.
     */
    private int place(int offset) throws MemoryFault {
        int own = described(offset);
        if (own != NONE) {
            return own;
        }
        int rare = instruction.isConditional()
                ? offset + instruction.length() + (int) instruction.jumpDistance()
                : info.safepoints().continuing(offset);
        return rare > offset ? ofPath(rare) : NONE;
    }

    /** Returns the PcDesc of the call that ends a straight path from an offset. */
    private int ofPath(int from) throws MemoryFault {
        int at = from;
        for (int i = 0; i < MAX_OF_PATH && decode(at); i++) {
            int next = at + instruction.length();
            int own = described(at);
            if (own != NONE || instruction.isCall() || instruction.isConditional()) {
                return own;
            }
            if (instruction.ends()) {
                if (!instruction.isJump()) {
                    return NONE;
                }
                next += (int) instruction.jumpDistance();
            }
            at = next;
        }
        return NONE;
    }

    private boolean decode(int offset) throws MemoryFault {
        if (offset < 0 || offset >= codeLength) {
            return false;
        }
        int wanted = Math.min(instructions.longestInstruction(), codeLength - offset);
        if (offset < chunkAt || offset + wanted > chunkAt + chunk.length) {
            chunk = new byte[Math.min(CHUNK, codeLength - offset)];
            chunkAt = offset;
            memory.read(nmethod.codeBegin + offset, chunk, 0, chunk.length);
        }
        return instruction.decode(chunk, offset - chunkAt, chunk.length);
    }
}
