package mayfly.profile.capture.records;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import mayfly.profile.BadCapture;
import mayfly.profile.Frame;

/** Constants of the capture format, version 2. See docs/formats/capture.md. */
public final class CaptureFormat {
    /** The first eight bytes. A transfer in text mode changes the last two, which makes the damage detectable. */
    public static final byte[] MAGIC = {'M', 'A', 'Y', 'F', 'L', 'Y', '\r', '\n'};

    public static final int VERSION = 2;
    /** The size of magic, version, and a reserved word. */
    public static final int HEADER_BYTES = 16;
    /** A block's payload length and its CRC-32C, both 32 bits, little-endian. */
    public static final int BLOCK_HEADER_BYTES = 8;

    public static final int MAX_BLOCK_BYTES = 64 * 1024;
    /** Upper bound on a string, in bytes of UTF-8. The writer truncates a longer string and appends an ellipsis. */
    public static final int MAX_STRING_BYTES = 16 * 1024;
    /** Upper bound on the frames of one stack. A recorder writes fewer, so a deeper stack makes the file invalid. */
    public static final int MAX_STACK_DEPTH = 1 << 15;
    /** Upper bound on the events of one recording: the type of a sample contains the event. */
    public static final int MAX_EVENTS = 64;
    /** Upper bound on the measures of one event, including measures that this version does not know. */
    public static final int MAX_MEASURES = 8;

    public static final int STRING = 1;
    public static final int FRAME = 2;
    public static final int STACK = 3;
    public static final int THREAD = 4;
    public static final int THREAD_NAME = 5;
    public static final int SYMBOL = 7;
    public static final int META = 8;
    public static final int FIGURE = 9;
    public static final int SENTENCE = 10;
    public static final int END = 11;
    public static final int EVENT = 12;
    public static final int RUNTIME = 13;
    public static final int LIBRARY = 14;
    public static final int MODE = 15;
    /** The type of a sample record is this number plus the id of its event. */
    public static final int SAMPLE = 64;

    public static final int MANAGED = 1;
    public static final int STUB = 2;
    public static final int NATIVE = 3;
    public static final int KERNEL = 4;
    public static final int OMITTED = 5;

    public static boolean isSample(int type) {
        return type >= SAMPLE && type < SAMPLE + MAX_EVENTS;
    }

    public static int code(Frame.Certainty certainty) {
        return switch (certainty) {
            case CERTAIN -> 0;
            case ENCLOSING -> 1;
            case INFERRED -> 2;
        };
    }

    /** Returns the certainty for a code. Codes of later versions are treated as inferred. */
    static Frame.Certainty certainty(long code) {
        if (code == 0) {
            return Frame.Certainty.CERTAIN;
        }
        return code == 1 ? Frame.Certainty.ENCLOSING : Frame.Certainty.INFERRED;
    }

    /** Returns the start of the keys of an event's ledger: empty for event 0, which most recordings have alone. */
    public static String ledgerPrefix(int event) {
        return event == 0 ? "" : event + "/";
    }

    /**
     * Checks the first bytes of a file.
     *
     * @param header at most {@link #HEADER_BYTES} bytes
     * @throws BadCapture if they are not a header of this version
     */
    public static void requireHeader(byte[] header) throws BadCapture {
        if (header.length < HEADER_BYTES || !Arrays.equals(header, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new BadCapture("not a mayfly capture: it does not start with MAYFLY");
        }
        int version = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(MAGIC.length);
        if (version == 1) {
            throw new BadCapture("capture version 1, written by an older Mayfly; record again");
        }
        if (version != VERSION) {
            throw new BadCapture("capture version " + version + "; this Mayfly reads version " + VERSION
                    + " only: use the version that wrote it");
        }
    }

    private CaptureFormat() {}
}
