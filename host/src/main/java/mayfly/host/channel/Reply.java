package mayfly.host.channel;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.wire.message.MessageSize;
import mayfly.wire.message.MessageType;
import mayfly.wire.message.ResultOffset;

/** Answers to a client: the type and the payload of a message; docs/formats/host-channel.md specifies them. */
public final class Reply {
    /** Upper bound on a text, in chars and in bytes. A RESULT holds 64 KiB; a stack trace may be longer. */
    private static final int MAX_TEXT = 20_000;
    /** Upper bound on a chain of causes. */
    private static final int MAX_CAUSES = 16;
    /** The library receives a reply as the type and the payload. */
    private static final int PAYLOAD = 1;

    private static final int MESSAGE = PAYLOAD + ResultOffset.MESSAGE;

    private Reply() {}

    public static byte[] done() {
        return result(Status.OK, "", "");
    }

    public static byte[] refused(Status status, String message) {
        return result(status, message, "");
    }

    /** Describes an exception of the profiler: its status if it has one, its message and its stack trace. */
    public static byte[] thrown(Throwable thrown) {
        Status status = thrown instanceof ProfilerException ? ((ProfilerException) thrown).status() : Status.FAILED;
        String message = cut(String.valueOf(thrown.getMessage()));
        return result(
                status,
                thrown instanceof ProfilerException
                        ? message
                        : thrown.getClass().getName() + ": " + message,
                trace(thrown));
    }

    /**
     * Returns the stack trace as text. The JDK's own printing copies each message several times in the program's heap,
     * so it is used only for short messages.
     */
    private static String trace(Throwable thrown) {
        try {
            if (hasShortMessages(thrown, MAX_CAUSES)) {
                StringWriter trace = new StringWriter();
                thrown.printStackTrace(new PrintWriter(trace));
                return trace.toString();
            }
            StringBuilder trace = new StringBuilder(thrown.getClass().getName());
            for (StackTraceElement frame : thrown.getStackTrace()) {
                trace.append("\n\tat ").append(frame);
            }
            return trace.toString();
        } catch (Throwable e) {
            return thrown.getClass().getName();
        }
    }

    private static boolean hasShortMessages(Throwable thrown, int most) {
        if (most == 0 || !hasShortMessage(thrown)) {
            return false;
        }
        for (Throwable suppressed : thrown.getSuppressed()) {
            if (suppressed.getCause() != null || !hasShortMessage(suppressed)) {
                return false;
            }
        }
        return thrown.getCause() == null || hasShortMessages(thrown.getCause(), most - 1);
    }

    private static boolean hasShortMessage(Throwable thrown) {
        String message = thrown.getMessage();
        return message == null || message.length() <= MAX_TEXT;
    }

    private static String cut(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }

    public static byte[] bytes(byte[] answer) {
        byte[] frame = new byte[answer.length + 1];
        frame[0] = MessageType.REPLY;
        System.arraycopy(answer, 0, frame, 1, answer.length);
        return frame;
    }

    private static byte[] result(Status status, String message, String detail) {
        byte[] first = text(message);
        byte[] second = text(detail);
        int length = MESSAGE + first.length;
        byte[] frame = new byte[length + MessageSize.LENGTH + second.length];
        frame[0] = MessageType.RESULT;
        put(frame, PAYLOAD + ResultOffset.STATUS, status.number());
        put(frame, PAYLOAD + ResultOffset.MESSAGE_LENGTH, first.length);
        System.arraycopy(first, 0, frame, MESSAGE, first.length);
        put(frame, length, second.length);
        System.arraycopy(second, 0, frame, length + MessageSize.LENGTH, second.length);
        return frame;
    }

    private static byte[] text(String text) {
        byte[] bytes = cut(text).getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_TEXT ? bytes : Arrays.copyOf(bytes, MAX_TEXT);
    }

    private static void put(byte[] frame, int at, int value) {
        for (int i = 0; i < 4; i++) {
            frame[at + i] = (byte) (value >> 8 * i);
        }
    }
}
