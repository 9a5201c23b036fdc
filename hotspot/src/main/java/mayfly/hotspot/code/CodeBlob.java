package mayfly.hotspot.code;

/**
 * A snapshot of one blob of the code cache: its code range, its kind and its frame size.
 *
 * <p>The VM may free the blob at any time and reuse its space for another. {@link CodeCache} detects this and then
 * marks the blob superseded. The data of a superseded blob remains valid for earlier samples.
 */
public class CodeBlob {

    /** The content of a blob, which determines how its frames are unwound. */
    public enum Kind {
        /** A compiled Java method. */
        NMETHOD("nmethod"),
        /** The wrapper of a native method, or an intrinsic with the same structure. */
        NATIVE_NMETHOD("native nmethod"),
        /** The template interpreter. */
        INTERPRETER("Interpreter"),
        /** Stubs that dispatch through vtables and itables. They have no frame. */
        VTABLE("vtable chunks"),
        /** Adapters between interpreted and compiled code. */
        ADAPTER("I2C/C2I adapters"),
        /** Method handle entry points. They have no frame. */
        METHOD_HANDLES("MethodHandles adapters"),
        /** Any other blob with a known frame size. */
        RUNTIME_STUB(""),
        /** Any other blob: many small routines, each with its own frame layout. */
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
            if (blobName.equals("Shared Runtime Adapters") || isBasicArguments(blobName)) {
                return ADAPTER;
            }
            return frameSize > 0 ? RUNTIME_STUB : STUBS;
        }

        /**
         * Returns true if the name consists of basic type characters. Adapters from an AOT cache are named after their
         * arguments: see AdapterFingerPrint::as_basic_args_string.
         */
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
    /** The frame size in words; 0 for no frame. */
    public final int frameSize;
    /** The offset at which the frame is complete, in bytes from the start of the code; negative if it never is. */
    public final int frameComplete;
    /** The compile id, or the address of the name: distinguishes this blob from another at the same address. */
    public final long identity;
    /** The time of the first read, CLOCK_MONOTONIC in ns. */
    public final long firstSeen;
    /** The time of the last confirmation that the blob is in place, CLOCK_MONOTONIC in ns. */
    long lastConfirmed;

    long confirmedEpoch;
    /** The last epoch in which a walk used this blob. */
    long usedEpoch;
    /** True if the blob was freed, replaced, or read again. It must not be used for new samples. */
    public boolean superseded;
    /** True if the data of this object was read after the blob was known to be in place. */
    boolean settled;
    /** True if another blob has been observed in its place. */
    public boolean hasPredecessor;

    CodeBlob(
            Kind kind,
            long address,
            long end,
            long codeBegin,
            long codeEnd,
            String name,
            int frameSize,
            int frameComplete,
            long identity,
            long firstSeen) {
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
