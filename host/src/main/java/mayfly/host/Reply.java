package mayfly.host;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.api.ProfilerException;
import mayfly.api.Status;

/** Answers to a client, as a frame's type and content; docs/formats/host-channel.md has them. */
final class Reply {
    private static final byte RESULT = 64;
    private static final byte REPLY = 65;
    /** A frame holds 64 KiB; a stack trace may be longer. */
    private static final int MOST_TEXT = 20_000;

    private Reply() {}

    static byte[] done() {
        return result(Status.OK, "", "");
    }

    static byte[] refused(Status status, String message) {
        return result(status, message, "");
    }

    /** What the profiler threw: its status if it has one, its words and its stack trace. */
    static byte[] thrown(Throwable thrown) {
        Status status = thrown instanceof ProfilerException ? ((ProfilerException) thrown).status() : Status.FAILED;
        String message = String.valueOf(thrown.getMessage());
        StringWriter trace = new StringWriter();
        try {
            thrown.printStackTrace(new PrintWriter(trace));
        } catch (Throwable e) {
            trace.write(thrown.getClass().getName());
        }
        return result(status, thrown instanceof ProfilerException ? message : thrown.getClass().getName() + ": " + message,
                trace.toString());
    }

    static byte[] bytes(byte[] answer) {
        byte[] frame = new byte[answer.length + 1];
        frame[0] = REPLY;
        System.arraycopy(answer, 0, frame, 1, answer.length);
        return frame;
    }

    private static byte[] result(Status status, String message, String detail) {
        byte[] first = text(message);
        byte[] second = text(detail);
        byte[] frame = new byte[13 + first.length + second.length];
        frame[0] = RESULT;
        put(frame, 1, status.number());
        put(frame, 5, first.length);
        System.arraycopy(first, 0, frame, 9, first.length);
        put(frame, 9 + first.length, second.length);
        System.arraycopy(second, 0, frame, 13 + first.length, second.length);
        return frame;
    }

    private static byte[] text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MOST_TEXT ? bytes : Arrays.copyOf(bytes, MOST_TEXT);
    }

    private static void put(byte[] frame, int at, int value) {
        for (int i = 0; i < 4; i++) {
            frame[at + i] = (byte) (value >> 8 * i);
        }
    }
}
