package mayfly.profile.capture;

import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/** Numbers of the capture format, version 1. See docs/formats/capture.md. */
public final class CaptureFormat {
    /** The first eight bytes. The last two are there to be damaged by a transfer in text mode. */
    public static final byte[] MAGIC = {'M', 'A', 'Y', 'F', 'L', 'Y', '\r', '\n'};
    public static final int VERSION = 1;
    /** Magic, version, and a word that is kept free. */
    public static final int HEADER_BYTES = 16;
    /** A block's payload length and its CRC-32C, both 32 bits, little-endian. */
    static final int BLOCK_HEADER_BYTES = 8;
    public static final int MAX_BLOCK_BYTES = 64 * 1024;
    /** Of UTF-8; what is longer is cut, with an ellipsis. */
    static final int MAX_STRING_BYTES = 16 * 1024;
    /** Frames of one stack. The walker's limit is below it; a deeper stack in a file is an attack. */
    public static final int MAX_STACK_DEPTH = 1 << 15;

    static final int STRING = 1;
    public static final int FRAME = 2;
    static final int STACK = 3;
    static final int THREAD = 4;
    static final int THREAD_NAME = 5;
    static final int SAMPLE = 6;
    static final int SYMBOL = 7;
    static final int META = 8;
    static final int FIGURE = 9;
    static final int SENTENCE = 10;
    static final int END = 11;

    static final int JAVA = 1;
    static final int STUB = 2;
    public static final int NATIVE = 3;
    public static final int KERNEL = 4;
    static final int OMITTED = 5;

    /** Kind and tier of a managed frame, by their number less one. */
    private static final String[][] MODES = {{Frame.Managed.INTERPRETED, ""}, {Frame.Managed.COMPILED, "C1"},
        {Frame.Managed.COMPILED, "C2"}, {Frame.Managed.INLINED, ""}, {Frame.Managed.NATIVE, ""}};

    static int code(String kind, String tier) {
        for (int i = 0; i < MODES.length; i++) {
            if (MODES[i][0].equals(kind) && MODES[i][1].equals(tier)) {
                return i + 1;
            }
        }
        throw new IllegalArgumentException(kind + " " + tier);
    }

    static String @Nullable [] mode(long code) {
        return code < 1 || code > MODES.length ? null : MODES[(int) code - 1];
    }

    static int code(Frame.Certainty certainty) {
        return switch (certainty) {
            case CERTAIN -> 0;
            case ENCLOSING -> 1;
            case INFERRED -> 2;
        };
    }

    /** What a later version adds is no more than inferred. */
    static Frame.Certainty certainty(long code) {
        return code == 0 ? Frame.Certainty.CERTAIN : code == 1 ? Frame.Certainty.ENCLOSING : Frame.Certainty.INFERRED;
    }

    private CaptureFormat() {}
}
