package mayfly.hotspot.code;

import org.jspecify.annotations.Nullable;

/** A compiled Java method or native wrapper, with the places of its tables. */
public final class Nmethod extends CodeBlob {

    /**
     * Where the debug information is, in the target.
     *
     * @param pcs the PcDesc array
     * @param pcsLength its length in bytes
     * @param scopes the scopes data
     * @param scopesLength its length in bytes
     * @param metadata the table of metadata pointers
     * @param metadataLength its length in bytes
     * @param oopMaps the set of oop maps, 0 if there is none or the VM does not describe it, -1 if it cannot be read
     * @param implicitExceptions the table of implicit exceptions, 0 likewise
     */
    public record Tables(long pcs, int pcsLength, long scopes, int scopesLength, long metadata, int metadataLength,
            long oopMaps, long implicitExceptions) {
    }

    public final long method;
    public final int compLevel;
    public final long verifiedEntry;
    /** The entry for on-stack replacement, 0 if this is no such nmethod. */
    public final long osrEntry;
    public final long deoptHandler;
    /** The handler of method handle call sites, 0 where the VM has none. */
    final long deoptMhHandler;
    /** Where in the frame the VM saves the pc of a deoptimised frame, in bytes from its stack pointer. */
    public final int origPcOffset;
    public final Tables tables;
    /** The tables' bytes, kept for a while after they were last needed. */
    @Nullable public DebugInfo debugInfo;

    public Nmethod(Kind kind, long address, long end, long codeBegin, long codeEnd, String name, int frameSize,
            int frameComplete, long identity, long firstSeen, long method, int compLevel, long verifiedEntry,
            long osrEntry, long deoptHandler, long deoptMhHandler, int origPcOffset, Tables tables) {
        super(kind, address, end, codeBegin, codeEnd, name, frameSize, frameComplete, identity, firstSeen);
        this.method = method;
        this.compLevel = compLevel;
        this.verifiedEntry = verifiedEntry;
        this.osrEntry = osrEntry;
        this.deoptHandler = deoptHandler;
        this.deoptMhHandler = deoptMhHandler;
        this.origPcOffset = origPcOffset;
        this.tables = tables;
    }

    /** Whether a return address is that of the deoptimisation handler, so that the frame's real pc was saved in it. */
    public boolean isDeoptHandler(long pc) {
        return isWithinCall(pc, deoptHandler) || isWithinCall(pc, deoptMhHandler);
    }

    /** The handler is a call; the VM patches in its begin, and the call pushes the address behind it. */
    private static boolean isWithinCall(long pc, long handler) {
        return handler != 0 && pc >= handler && pc <= handler + MAX_HANDLER;
    }

    private static final int MAX_HANDLER = 10;
}
