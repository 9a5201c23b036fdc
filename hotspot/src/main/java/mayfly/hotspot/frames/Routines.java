package mayfly.hotspot.frames;

import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.CodeCache;
import mayfly.hotspot.code.StubNames;
import mayfly.hotspot.tables.Continuations;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import org.jspecify.annotations.Nullable;

/**
 * The routines in generated code that are not methods: their names and entries, and the addresses at which the frames
 * of Java code and of virtual threads end.
 */
public final class Routines {
    private static final String RETURN_BARRIER = "cont_returnBarrier";
    private static final String EXCEPTION_BARRIER = "cont_returnBarrierExc";

    private final Memory memory;
    private final ModuleSymbols symbols;
    private final CodeCache cache;
    private final SiteDecoder decoder;
    private final long callStubReturn;
    /** The address of the variable that contains the return address in Continuation.enterSpecial; 0 if unknown. */
    private final long enterSpecialReturnAt;

    private final int continuationEntrySize;
    private @Nullable StubNames stubNames;

    Routines(
            Memory memory, ModuleSymbols symbols, VmLayout layout, JdkRules rules, CodeCache cache, SiteDecoder decoder)
            throws MemoryFault {
        this.memory = memory;
        this.symbols = symbols;
        this.cache = cache;
        this.decoder = decoder;
        this.callStubReturn = memory.readLong(layout.at(VmField.CALL_STUB_RETURN_ADDRESS));
        Continuations continuations = Continuations.of(layout, rules, symbols);
        this.enterSpecialReturnAt = continuations.enterSpecialReturnAt();
        this.continuationEntrySize = continuations.entrySize();
    }

    /** Returns true if a call from the VM to Java returns to an address: StubRoutines::call_stub. */
    boolean isCallStubReturn(long pc) {
        return pc == callStubReturn;
    }

    /** Returns the size of a ContinuationEntry on the stack, in bytes; 0 if the VM has no continuations. */
    public int continuationEntrySize() {
        return continuationEntrySize;
    }

    /**
     * Returns true if the pc is StubRoutines::cont_returnBarrier. With symbols it is identified by name. Without
     * symbols, it is the only address among the stubs that is used as a return address although no call precedes it.
     */
    boolean isReturnBarrier(long pc, boolean afterCall) throws MemoryFault {
        if (continuationEntrySize == 0) {
            return false;
        }
        long known = stubNames().entry(RETURN_BARRIER);
        if (known != 0) {
            return pc == known || pc == stubNames().entry(EXCEPTION_BARRIER);
        }
        return !afterCall && (enterSpecialReturnAt == 0 || enterSpecialReturn() != 0);
    }

    /** Returns the entry of the return barrier that contains an address, or 0 if it is in none. */
    public long barrierEntry(long pc, CodeBlob blob) {
        if (continuationEntrySize == 0) {
            return 0;
        }
        long entry = stubNames().entryOf(pc, blob);
        return entry == stubNames().entry(RETURN_BARRIER)
                        || entry == stubNames().entry(EXCEPTION_BARRIER)
                ? entry
                : 0;
    }

    /** Returns true if an address is the return address of the call in Continuation.enterSpecial. */
    boolean isEnterSpecialReturn(long pc) throws MemoryFault {
        return pc == enterSpecialReturn();
    }

    /**
     * Returns the return address in Continuation.enterSpecial; 0 if it is unknown. It is read each time, because a VM
     * of JDK 21 sets it when the first virtual thread runs.
     */
    private long enterSpecialReturn() throws MemoryFault {
        return enterSpecialReturnAt == 0 || continuationEntrySize == 0 ? 0 : memory.readLong(enterSpecialReturnAt);
    }

    /**
     * Returns the start of the routine that contains an address, or 0 if it is unknown. Most blobs have one routine; in
     * a blob that has several, no path leads from its start to the others.
     */
    public long entry(long pc, CodeBlob blob) {
        return switch (blob.kind) {
            // An adapter has several entries. Each begins after the jump that ends the code of the previous one.
            case RUNTIME_STUB, ADAPTER -> blob.codeBegin;
            case STUBS -> {
                long known = stubNames().entryOf(pc, blob);
                yield known != 0 ? known : blob.codeBegin;
            }
            default -> 0;
        };
    }

    /** Returns the name of code that is not a method. */
    public String name(long pc, CodeBlob blob) {
        return switch (blob.kind) {
            case STUBS -> stubNames().at(pc, blob);
            case VTABLE -> "vtable stub";
            case ADAPTER -> "I2C/C2I adapter";
            default -> blob.name;
        };
    }

    private StubNames stubNames() {
        StubNames names = stubNames;
        if (names == null) {
            names = new StubNames(
                    symbols,
                    cache,
                    memory,
                    decoder.sourceName(),
                    decoder.architecture().instructions());
            stubNames = names;
        }
        return names;
    }
}
