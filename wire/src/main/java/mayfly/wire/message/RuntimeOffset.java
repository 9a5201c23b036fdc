package mayfly.wire.message;

/** Offsets in {@link AttachBlob#RUNTIME}, in bytes. */
public final class RuntimeOffset {
    public static final int RANK = 0;
    public static final int LIBRARY = 4;

    private RuntimeOffset() {}
}
