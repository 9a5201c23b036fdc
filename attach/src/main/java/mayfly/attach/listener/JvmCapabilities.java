package mayfly.attach.listener;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.process.MemoryFault;

/**
 * The JVM's support for attaches, read from its performance counters: a file below /tmp that it has mapped. See
 * perfMemory.hpp and runtimeService.cpp in HotSpot. A JVM without this support prints a thread dump on SIGQUIT,
 * regardless of any files.
 */
public final class JvmCapabilities {
    private static final String OPTION = "-XX:+DisableAttachMechanism";
    private static final String FILE = "/hsperfdata_";
    private static final String COUNTER = "sun.rt.jvmCapabilities";
    /**
     * Upper bound on the size of the file, in bytes. The default is 32 KiB; the option to change it is not used in
     * practice.
     */
    private static final int MAX_SIZE = 1 << 20;

    private static final int MAGIC = 0xcafec0c0;
    /** Offsets in PerfDataPrologue, and in PerfDataEntry. */
    private static final int ENTRIES_AT = 24;

    private static final int COUNT_AT = 28;
    private static final int NAME_AT = 4;
    private static final int DATA_AT = 16;
    private static final int ENTRY = 20;

    private JvmCapabilities() {}

    /**
     * Returns true if the JVM refuses attaches. For a JVM without counters, the command line decides.
     *
     * @throws IOException if the process has ended
     */
    public static boolean refusesAttach(LiveProcess process) throws IOException {
        for (Mapping mapping : process.mappings()) {
            if (mapping.path().contains(FILE) && mapping.end() - mapping.start() <= MAX_SIZE) {
                byte[] bytes = new byte[(int) (mapping.end() - mapping.start())];
                try {
                    process.memory().read(mapping.start(), bytes, 0, bytes.length);
                } catch (MemoryFault e) {
                    continue; // a truncated file
                }
                char first = first(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
                if (first != 0) {
                    return first != '1';
                }
            }
        }
        return process.facts().commandLine().contains(OPTION);
    }

    /** Returns the first character of the counter for the attach support; 0 if there is no such counter. */
    static char first(ByteBuffer counters) {
        if (counters.capacity() < 32
                || counters.duplicate().order(ByteOrder.BIG_ENDIAN).getInt(0) != MAGIC) {
            return 0;
        }
        byte[] name = (COUNTER + "\0").getBytes(StandardCharsets.US_ASCII);
        long at = counters.getInt(ENTRIES_AT);
        for (int i = counters.getInt(COUNT_AT); i > 0 && at >= 0 && at <= counters.capacity() - ENTRY; i--) {
            int length = counters.getInt((int) at);
            long nameAt = at + counters.getInt((int) at + NAME_AT);
            long dataAt = at + counters.getInt((int) at + DATA_AT);
            if (nameAt >= 0
                    && nameAt <= counters.capacity() - name.length
                    && dataAt >= 0
                    && dataAt < counters.capacity()
                    && counters.slice((int) nameAt, name.length).equals(ByteBuffer.wrap(name))) {
                return (char) (counters.get((int) dataAt) & 0xff);
            }
            if (length < ENTRY) {
                return 0;
            }
            at += length;
        }
        return 0;
    }
}
