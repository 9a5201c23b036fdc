package mayfly.hotspot.heap;

import java.nio.charset.StandardCharsets;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.Unread;

/** Reads the text of java.lang.Strings in the heap. */
public final class JavaStrings {
    private static final int LATIN1 = 0;
    private static final int UTF16 = 1;

    private final JavaHeap heap;
    private final int value;
    private final int coder;
    private final int longest;

    /**
     * @param longest the maximum length of a text that is read, in chars
     * @throws BadMetadata if the class String lacks a required field
     */
    public JavaStrings(JavaHeap heap, InstanceFields string, int longest) throws BadMetadata {
        this.heap = heap;
        this.value = string.require("value");
        this.coder = string.require("coder");
        this.longest = longest;
    }

    /**
     * Returns the text of a String: untrusted text.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if {@code string} is 0, or if the text is longer than the maximum
     */
    public String text(long string) throws MemoryFault, BadMetadata, Unreadable {
        if (string == 0) {
            throw new Unreadable(Unread.NO_THREAD_OBJECT);
        }
        long array = heap.reference(string + value);
        if (array == 0) {
            throw new BadMetadata("a String without an array");
        }
        int kind = heap.readByte(string + coder);
        if (kind != LATIN1 && kind != UTF16) {
            throw new BadMetadata("a String with the coder " + kind);
        }
        byte[] bytes = heap.bytes(array, longest << kind);
        return kind == LATIN1 ? new String(bytes, StandardCharsets.ISO_8859_1) : utf16(bytes);
    }

    /** Decodes chars without conversion: half a surrogate pair is a valid char of a Java string. */
    private static String utf16(byte[] bytes) throws BadMetadata {
        if ((bytes.length & 1) != 0) {
            throw new BadMetadata("a UTF-16 String with an odd number of bytes");
        }
        char[] chars = new char[bytes.length / 2];
        for (int i = 0; i < chars.length; i++) {
            chars[i] = (char) (bytes[2 * i] & 0xff | bytes[2 * i + 1] << 8);
        }
        return new String(chars);
    }
}
