package mayfly.host.probe;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The code of a class as JVMTI gives it: GetConstantPool, and GetBytecodes of each method.
 *
 * <p>A redefinition merges the previous constant pool and the new one, so the previous pool does not come back, and an
 * instruction may have another index afterwards. Two records therefore have the same code if each instruction is equal
 * and the indices in it refer to equal constants.
 */
public final class CodeRecord {
    private static final int NONE = -1;

    private final ConstantPool pool;
    /** The bytecodes by name and descriptor. */
    private final Map<String, byte[]> methods;

    private CodeRecord(ConstantPool pool, Map<String, byte[]> methods) {
        this.pool = pool;
        this.methods = methods;
    }

    /**
     * Records the code of a class.
     *
     * @param count constant_pool_count
     * @param pool the constants, in the format of class files
     * @param methods the bytecodes of each method that has code, by name and descriptor as in {@code run()V}; they are
     * not copied
     * @throws MalformedCode if the code cannot be compared with other code
     */
    public static CodeRecord of(int count, byte[] pool, Map<String, byte[]> methods) throws MalformedCode {
        ConstantPool constants = ConstantPool.parse(pool, 0, count);
        for (byte[] code : methods.values()) {
            int length;
            for (int at = 0; at < code.length; at += length) {
                length = Instructions.length(code, at);
                int tags = Instructions.constantTags(code, at);
                if (tags != 0) {
                    constants.require(Instructions.constantIndex(code, at), tags);
                }
            }
        }
        return new CodeRecord(constants, new TreeMap<>(methods));
    }

    /** Returns true if an instruction refers to the key of a probe. */
    public boolean hasProbe() {
        for (byte[] code : methods.values()) {
            for (int at = 0; at < code.length; at += length(code, at)) {
                if (Instructions.constantTags(code, at) != 0
                        && pool.isStringWith(Instructions.constantIndex(code, at), ProbeKeys.PREFIX)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the first difference between this code and that of a later record; empty if there is none. */
    public Optional<CodeDifference> differenceTo(CodeRecord later) {
        for (Map.Entry<String, byte[]> method : methods.entrySet()) {
            byte[] laterCode = later.methods.get(method.getKey());
            if (laterCode == null) {
                return Optional.of(new CodeDifference(method.getKey(), CodeDifference.NO_OFFSET));
            }
            int offset = firstDifference(method.getValue(), later.pool, laterCode);
            if (offset != NONE) {
                return Optional.of(new CodeDifference(method.getKey(), offset));
            }
        }
        for (String method : later.methods.keySet()) {
            if (!methods.containsKey(method)) {
                return Optional.of(new CodeDifference(method, CodeDifference.NO_OFFSET));
            }
        }
        return Optional.empty();
    }

    private int firstDifference(byte[] code, ConstantPool laterPool, byte[] laterCode) {
        int common = Math.min(code.length, laterCode.length);
        for (int at = 0; at < common; at += length(code, at)) {
            if (!areEqual(code, laterPool, laterCode, at)) {
                return at;
            }
        }
        return code.length == laterCode.length ? NONE : common;
    }

    /** Compares the instructions at an offset. All instructions before it are equal, so that one begins in both. */
    private boolean areEqual(byte[] code, ConstantPool laterPool, byte[] laterCode, int at) {
        int length = length(code, at);
        if (code[at] != laterCode[at] || length != length(laterCode, at)) {
            return false;
        }
        boolean hasConstant = Instructions.constantTags(code, at) != 0;
        int compared = at + (hasConstant ? Instructions.lengthWithConstant(code, at) : 0);
        return Arrays.equals(code, compared, at + length, laterCode, compared, at + length)
                && (!hasConstant
                        || pool.equal(
                                Instructions.constantIndex(code, at),
                                laterPool,
                                Instructions.constantIndex(laterCode, at)));
    }

    /** Of an instruction that was checked when the code was recorded. */
    private static int length(byte[] code, int at) {
        try {
            return Instructions.length(code, at);
        } catch (MalformedCode e) {
            throw new IllegalStateException(e);
        }
    }
}
