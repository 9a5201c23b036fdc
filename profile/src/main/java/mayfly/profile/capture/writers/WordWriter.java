package mayfly.profile.capture.writers;

import static mayfly.profile.capture.records.CaptureFormat.MAX_STRING_BYTES;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.capture.records.CaptureFormat;

/**
 * Writes the strings of a capture. Remembers the strings that it has written, and writes each of them once. If they
 * would take too much memory, it forgets them and writes a string again, with another id, when it next occurs.
 */
public final class WordWriter {
    /** Upper bound on the remembered strings; each takes about 100 bytes in addition to its characters. */
    static final int MAX_WORDS = 1 << 17;
    /** Upper bound on the characters of the remembered strings. A longer string is remembered alone. */
    static final int MAX_CHARS = 1 << 23;

    private final BlockOutput out;
    private final Map<String, Integer> words = new HashMap<>();
    private int count;
    private long chars;

    public WordWriter(BlockOutput out) {
        this.out = out;
    }

    /**
     * Writes a string, unless it is remembered. Returns its id: 1, 2, …; 0 is the empty string.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int word(String text) throws CaptureWriteException {
        if (text.isEmpty()) {
            return 0;
        }
        Integer known = words.get(text);
        if (known != null) {
            return known;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.blob(CaptureFormat.STRING, bytes.length > MAX_STRING_BYTES ? cut(bytes) : bytes);
        if (words.size() == MAX_WORDS || chars + text.length() > MAX_CHARS) {
            words.clear();
            chars = 0;
        }
        int id = ++count;
        words.put(text, id);
        chars += text.length();
        return id;
    }

    boolean has(long id) {
        return id >= 0 && id <= count;
    }

    private static byte[] cut(byte[] bytes) {
        byte[] ellipsis = "…".getBytes(StandardCharsets.UTF_8);
        int end = MAX_STRING_BYTES - ellipsis.length;
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        byte[] shorter = new byte[end + ellipsis.length];
        System.arraycopy(bytes, 0, shorter, 0, end);
        System.arraycopy(ellipsis, 0, shorter, end, ellipsis.length);
        return shorter;
    }
}
