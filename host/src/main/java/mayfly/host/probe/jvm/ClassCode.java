package mayfly.host.probe.jvm;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.host.probe.CodeRecord;
import mayfly.host.probe.MalformedCode;
import mayfly.wire.ProbeCall;
import org.jspecify.annotations.Nullable;

/**
 * The code of a class as JVMTI shows it now.
 *
 * @param constants constant_pool_count
 * @param pool the constants
 * @param methods the bytecodes of the declared methods, by name and descriptor; empty for a method without code. The
 *     methods that the JVM itself adds to a class are not among them
 */
record ClassCode(int constants, byte[] pool, Map<String, byte[]> methods) {
    private static final int UNMODIFIABLE_CLASS = 79;
    private static final int FIRST_METHOD = 2;
    private static final int PER_METHOD = 3;

    /**
     * Reads the code of a class; returns null if the JVM does not permit changes of the class.
     *
     * @throws ProfilerException if the code cannot be read
     */
    static @Nullable ClassCode read(ProbeJvm jvm, Class<?> type) {
        Object read = jvm.call(ProbeCall.CODE, type);
        if (read instanceof Object[]) {
            return of((Object[]) read);
        }
        long error = read == null ? 0 : ((long[]) read)[0];
        if (error == UNMODIFIABLE_CLASS) {
            return null;
        }
        throw new ProfilerException(
                Status.FAILED,
                "the code of " + type.getName() + " cannot be read: "
                        + (error == 0 ? "the heap has no room for it" : "JVMTI error " + error));
    }

    private static ClassCode of(Object[] read) {
        Map<String, byte[]> methods = new HashMap<>();
        for (int i = FIRST_METHOD; i < read.length; i += PER_METHOD) {
            methods.put(((String) read[i]).concat((String) read[i + 1]), (byte[]) read[i + 2]);
        }
        return new ClassCode((int) ((long[]) read[0])[0], (byte[]) read[1], methods);
    }

    /** Returns a record of all methods, for comparisons. */
    CodeRecord record() throws MalformedCode {
        return record(methods.keySet());
    }

    /** Returns a record of these methods only. */
    CodeRecord record(Set<String> only) throws MalformedCode {
        Map<String, byte[]> chosen = new HashMap<>();
        for (String each : only) {
            byte[] code = methods.get(each);
            if (code != null && code.length > 0) {
                chosen.put(each, code);
            }
        }
        return CodeRecord.of(constants, pool, chosen);
    }
}
