package mayfly.host.probe;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A constant pool in the format of class files: JVMS 4.4. Its bytes are not trusted. */
final class ConstantPool {
    static final int UTF8 = 1;
    static final int INTEGER = 3;
    static final int FLOAT = 4;
    static final int LONG = 5;
    static final int DOUBLE = 6;
    static final int CLASS = 7;
    static final int STRING = 8;
    static final int FIELD = 9;
    static final int METHOD = 10;
    static final int INTERFACE_METHOD = 11;
    static final int NAME_AND_TYPE = 12;
    static final int METHOD_HANDLE = 15;
    static final int METHOD_TYPE = 16;
    static final int DYNAMIC = 17;
    static final int INVOKE_DYNAMIC = 18;
    static final int MODULE = 19;
    static final int PACKAGE = 20;

    private static final int NONE = -1;
    private static final int REFERENCES = 1 << FIELD | 1 << METHOD | 1 << INTERFACE_METHOD;
    /** The number of bytes of a constant after its tag, by tag; 0 for an invalid tag. That of UTF8 is its length's. */
    private static final int[] SIZES = {0, 2, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private final byte[] bytes;
    /** The position of each constant's tag; {@link #NONE} for an index without a constant. */
    private final int[] at;

    private final int end;

    private ConstantPool(byte[] bytes, int[] at, int end) {
        this.bytes = bytes;
        this.at = at;
        this.end = end;
    }

    /**
     * Finds the constants.
     *
     * @param begin the position of the first constant
     * @param count constant_pool_count, which is one more than the largest index
     * @throws MalformedCode if they are not within the bytes
     */
    static ConstantPool parse(byte[] bytes, int begin, int count) throws MalformedCode {
        if (count < 0 || count > 0xffff) {
            throw new MalformedCode("a constant pool of " + count + " constants");
        }
        int[] positions = new int[count];
        Arrays.fill(positions, NONE);
        int position = begin;
        for (int index = 1; index < count; index++) {
            int tag = position < bytes.length ? bytes[position] : -1;
            if (tag < 0 || tag >= SIZES.length || SIZES[tag] == 0 || SIZES[tag] > bytes.length - position - 1) {
                throw new MalformedCode("constant " + index + " of " + count + " is invalid");
            }
            int length = SIZES[tag] + (tag == UTF8 ? unsigned2(bytes, position + 1) : 0);
            if (length > bytes.length - position - 1) {
                throw new MalformedCode("constant " + index + " of " + count + " ends after the constant pool");
            }
            positions[index] = position;
            position += 1 + length;
            if (tag == LONG || tag == DOUBLE) {
                index++;
            }
        }
        return new ConstantPool(bytes, positions, position);
    }

    static int unsigned2(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    /** Returns the position after the last constant. */
    int end() {
        return end;
    }

    /** Returns the tag of a constant; 0 if the index has none. */
    int tag(int index) {
        return index <= 0 || index >= at.length || at[index] == NONE ? 0 : bytes[at[index]];
    }

    /** Returns the index in a constant at a number of bytes after its tag. */
    private int index(int index, int offset) {
        return unsigned2(bytes, at[index] + 1 + offset);
    }

    /**
     * Checks that an index has a constant of one of some kinds, and that so have the indices in it. The kinds of these
     * are fixed, so that the depth is at most four.
     *
     * @param tags bit n for the tag n
     */
    void require(int index, int tags) throws MalformedCode {
        int tag = tag(index);
        if (tag == 0 || (tags & 1 << tag) == 0) {
            throw new MalformedCode("constant " + index + " has the tag " + tag);
        }
        switch (tag) {
            case CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE -> require(index(index, 0), 1 << UTF8);
            case FIELD, METHOD, INTERFACE_METHOD -> {
                require(index(index, 0), 1 << CLASS);
                require(index(index, 2), 1 << NAME_AND_TYPE);
            }
            case NAME_AND_TYPE -> {
                require(index(index, 0), 1 << UTF8);
                require(index(index, 2), 1 << UTF8);
            }
            case METHOD_HANDLE -> require(index(index, 1), REFERENCES);
            case DYNAMIC, INVOKE_DYNAMIC -> require(index(index, 2), 1 << NAME_AND_TYPE);
            default -> {}
        }
    }

    /** Returns the text of a UTF8 constant; unlike the JVM's, its encoding of supplementary characters is not read. */
    String text(int index) throws MalformedCode {
        require(index, 1 << UTF8);
        return new String(bytes, at[index] + 3, index(index, 0), StandardCharsets.UTF_8);
    }

    /** Returns the name of a class, as in {@code java/util/Map}. */
    String className(int index) throws MalformedCode {
        require(index, 1 << CLASS);
        return text(index(index, 0));
    }

    /** Returns true if a constant that was {@linkplain #require checked} is a string that begins with an ASCII text. */
    boolean isStringWith(int index, String prefix) {
        return tag(index) == STRING && startsWith(index(index, 0), prefix);
    }

    private boolean startsWith(int utf8, String prefix) {
        if (index(utf8, 0) < prefix.length()) {
            return false;
        }
        for (int i = 0; i < prefix.length(); i++) {
            if (bytes[at[utf8] + 3 + i] != prefix.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns true if a constant equals one of another pool: if all bytes do, once each index is replaced by its
     * constant. The index of a bootstrap method is compared as a number, because its table is not in the pool. Both
     * constants have been {@linkplain #require checked}.
     */
    boolean equal(int index, ConstantPool other, int otherIndex) {
        int tag = tag(index);
        if (tag != other.tag(otherIndex)) {
            return false;
        }
        return switch (tag) {
            case CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE -> equal(index, other, otherIndex, 0);
            case FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE ->
                equal(index, other, otherIndex, 0) && equal(index, other, otherIndex, 2);
            case METHOD_HANDLE ->
                bytes[at[index] + 1] == other.bytes[other.at[otherIndex] + 1] && equal(index, other, otherIndex, 1);
            case DYNAMIC, INVOKE_DYNAMIC ->
                index(index, 0) == other.index(otherIndex, 0) && equal(index, other, otherIndex, 2);
            default -> areSameBytes(index, other, otherIndex);
        };
    }

    private boolean equal(int index, ConstantPool other, int otherIndex, int offset) {
        return equal(index(index, offset), other, other.index(otherIndex, offset));
    }

    private boolean areSameBytes(int index, ConstantPool other, int otherIndex) {
        int tag = tag(index);
        int length = 1 + SIZES[tag] + (tag == UTF8 ? index(index, 0) : 0);
        int from = at[index];
        int otherFrom = other.at[otherIndex];
        return length <= other.bytes.length - otherFrom
                && Arrays.equals(bytes, from, from + length, other.bytes, otherFrom, otherFrom + length);
    }
}
