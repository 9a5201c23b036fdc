package mayfly.hotspot.code;


/**
 * One blob of the code cache as it was when it was read: where its code is, what kind it is, how large its frame is.
 *
 * <p>The VM may free it at any time and put another in its place; {@link CodeCache} finds that out and then marks this
 * one superseded. What was learnt of it stays right for samples from before.
 */
public class CodeBlob {

    /** What a blob holds, which decides how its frames are stepped. */
    public enum Kind {
        /** A compiled Java method. */
        NMETHOD("nmethod"),
        /** The wrapper of a native method, or an intrinsic made like one. */
        NATIVE_NMETHOD("native nmethod"),
        /** The template interpreter. */
        INTERPRETER("Interpreter"),
        /** Stubs that dispatch through vtables and itables: they make no frame. */
        VTABLE("vtable chunks"),
        /** Adapters between interpreted and compiled code. */
        ADAPTER("I2C/C2I adapters"),
        /** Method handle entry points: they make no frame. */
        METHOD_HANDLES("MethodHandles adapters"),
        /** Any other blob with a frame of known size. */
        RUNTIME_STUB(""),
        /** Any other blob: many small routines, each with its own habits. */
        STUBS("");

        private final String name;

        Kind(String name) {
            this.name = name;
        }

        static Kind of(String blobName, int frameSize) {
            for (Kind kind : values()) {
                if (!kind.name.isEmpty() && blobName.startsWith(kind.name)) {
                    return kind;
                }
            }
            boolean adapter = blobName.equals("Shared Runtime Adapters") || isBasicArguments(blobName);
            return adapter ? ADAPTER : frameSize > 0 ? RUNTIME_STUB : STUBS;
        }

        /** Adapters from an AOT cache are named after what they pass on: AdapterFingerPrint::as_basic_args_string. */
        private static boolean isBasicArguments(String blobName) {
            return blobName.chars().allMatch(c -> "IJFDL".indexOf(c) >= 0);
        }
    }

    public final Kind kind;
    final long address;
    final long end;
    public final long codeBegin;
    public final long codeEnd;
    public final String name;
    /** In words; 0 for none. */
    public final int frameSize;
    /** Where the frame is complete, in bytes from the code's begin. */
    public final int frameComplete;
    /** What tells this blob from another at the same address: the compile id, or the name's address. */
    public final long identity;
    /** When it was first read, CLOCK_MONOTONIC in ns. */
    public final long firstSeen;
    /** When it was last known to be in place, CLOCK_MONOTONIC in ns. */
    long lastConfirmed;
    long confirmedEpoch;
    /** The last epoch in which a walk wanted it. */
    long usedEpoch;
    /** Not to be used for what is found now: freed, replaced, or read again. */
    public boolean superseded;
    /** Read when it was known to be in place already. */
    boolean settled;
    /** Whether another blob has been in its place while we looked. */
    public boolean hasPredecessor;

    CodeBlob(Kind kind, long address, long end, long codeBegin, long codeEnd, String name, int frameSize,
             int frameComplete, long identity, long firstSeen) {
        this.kind = kind;
        this.address = address;
        this.end = end;
        this.codeBegin = codeBegin;
        this.codeEnd = codeEnd;
        this.name = name;
        this.frameSize = frameSize;
        this.frameComplete = frameComplete;
        this.identity = identity;
        this.firstSeen = firstSeen;
    }

    public final boolean contains(long pc) {
        return pc >= address && pc < end;
    }

    @Override
    public final String toString() {
        return name + "@0x" + Long.toHexString(address);
    }
}
