package mayfly.hotspot.code;

import org.jspecify.annotations.Nullable;

/** A compiled Java method or native wrapper, with the locations of its tables. */
public final class Nmethod extends CodeBlob {

    /**
     * The locations of the debug information in the target.
     *
     * @param pcs the PcDesc array
     * @param pcsLength its length in bytes
     * @param scopes the scopes data
     * @param scopesLength its length in bytes
     * @param metadata the table of metadata pointers
     * @param metadataLength its length in bytes
     * @param oopMaps the set of oop maps; 0 if there is none or the VM does not describe it, -1 if it cannot be read
     * @param implicitExceptions the table of implicit exceptions; 0 if there is none or it cannot be read
     * @param oops the table of references to objects; 0 if the VM does not describe it or it cannot be read
     */
    public record Tables(
            long pcs,
            int pcsLength,
            long scopes,
            int scopesLength,
            long metadata,
            int metadataLength,
            long oopMaps,
            long implicitExceptions,
            long oops) {}

    public final long method;
    public final int compLevel;
    public final long verifiedEntry;
    /** The entry for on-stack replacement; 0 if this nmethod has none. */
    public final long osrEntry;

    public final long deoptHandler;
    /** The handler of method handle call sites; 0 in VMs without it. */
    final long deoptMhHandler;
    /**
     * The offset of the slot where the VM saves the pc of a deoptimised frame, in bytes from the frame's stack pointer.
     */
    public final int origPcOffset;

    public final Tables tables;
    /** The bytes of the tables, cached for a while after their last use. */
    @Nullable
    public DebugInfo debugInfo;

    public Nmethod(
            Kind kind,
            long address,
            long end,
            long codeBegin,
            long codeEnd,
            String name,
            int frameSize,
            int frameComplete,
            long identity,
            long firstSeen,
            long method,
            int compLevel,
            long verifiedEntry,
            long osrEntry,
            long deoptHandler,
            long deoptMhHandler,
            int origPcOffset,
            Tables tables) {
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

    /**
     * Returns true if a return address is that of the deoptimisation handler. The VM has then saved the frame's real pc
     * in the frame.
     */
    public boolean isDeoptHandler(long pc) {
        return isWithinCall(pc, deoptHandler) || isWithinCall(pc, deoptMhHandler);
    }

    /**
     * Returns true if an address is in the handler, which is a call: the VM patches in the handler's start as a return
     * address, and the call pushes the address after it.
     */
    private static boolean isWithinCall(long pc, long handler) {
        return handler != 0 && pc >= handler && pc <= handler + MAX_HANDLER;
    }

    private static final int MAX_HANDLER = 10;
}
