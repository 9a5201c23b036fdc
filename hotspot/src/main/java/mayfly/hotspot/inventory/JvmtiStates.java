package mayfly.hotspot.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import mayfly.hotspot.inventory.JvmtiState.Environment;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;

/**
 * Reads the structures that jvmtiEnvBase.hpp and jvmtiExport.hpp declare. The VM describes almost nothing of them, so
 * they are found through symbols that are not exported.
 *
 * <p>The start of a JvmtiEnvBase has been the same from JDK 11 to 26: the table of functions, a magic number, the
 * version, the next environment, the retransformable flag, the agent's local storage, the callbacks. Every number that
 * can be checked is checked.
 */
final class JvmtiStates {
    /** JvmtiEnvBase::_head_environment. */
    static final String HEAD = "_ZN12JvmtiEnvBase17_head_environmentE";
    /** The environment of the flight recorder, in jfrJvmtiAgent.cpp. */
    private static final String FLIGHT_RECORDER = "_ZL13jfr_jvmti_env";

    private static final String REDEFINITIONS = "_ZN11JvmtiExport19_redefinition_countE";
    /** JvmtiExport::_can_..., booleans. */
    private static final String CAPABILITIES = "_ZN11JvmtiExport";
    /**
     * The symbols of the flag that makes each virtual thread report its mounts. The first exists since JDK 21; JDK 26
     * has renamed it.
     */
    private static final List<String> VIRTUAL_THREADS = List.of(
            "_ZN27JvmtiVTMSTransitionDisabler25_VTMS_notify_jvmti_eventsE",
            "_ZN20MountUnmountDisabler20_notify_jvmti_eventsE");

    private static final int MAX_ENVIRONMENTS = 10_000;
    private static final int MAGIC = 8;
    private static final int VERSION = 12;
    private static final int NEXT = 16;
    private static final int CALLBACKS = 40;
    /**
     * The size of jvmtiEventCallbacks in the oldest VM. Callbacks added since are for virtual threads, and agents set
     * them together with others.
     */
    private static final int CALLBACK_COUNT = 37;

    private static final int ALIVE = 0x71ee;
    private static final int DISPOSED = 0xdefc;
    /** JVMTI_VERSION_INTERFACE_JVMTI, in the upper byte. */
    private static final int INTERFACE = 0x30;

    private JvmtiStates() {}

    static JvmtiState read(Memory memory, ModuleSymbols symbols) throws MemoryFault, BadMetadata {
        long counter = symbols.address(REDEFINITIONS);
        long recorder = symbols.address(FLIGHT_RECORDER);
        return new JvmtiState(
                environments(
                        memory, memory.readLong(symbols.address(HEAD)), recorder == 0 ? 0 : memory.readLong(recorder)),
                switchedOn(memory, symbols),
                counter == 0 ? -1 : memory.readLong(counter));
    }

    private static List<Environment> environments(Memory memory, long head, long recorder)
            throws MemoryFault, BadMetadata {
        List<Environment> found = new ArrayList<>();
        for (long at = head; at != 0; at = memory.readLong(at + NEXT)) {
            int magic = memory.readInt(at + MAGIC);
            if (magic != ALIVE && magic != DISPOSED || memory.readInt(at + VERSION) >>> 24 != INTERFACE) {
                throw new BadMetadata("no environment of JVMTI at 0x" + Long.toHexString(at));
            }
            if (found.size() == MAX_ENVIRONMENTS) {
                throw new BadMetadata("more than " + MAX_ENVIRONMENTS + " environments of JVMTI");
            }
            long[] callbacks = new long[CALLBACK_COUNT];
            memory.readLongs(at + CALLBACKS, callbacks, CALLBACK_COUNT);
            List<Long> set = new ArrayList<>();
            for (long callback : callbacks) {
                if (callback != 0) {
                    set.add(callback);
                }
            }
            found.add(new Environment(magic == DISPOSED, at == recorder, set));
        }
        return found;
    }

    private static List<String> switchedOn(Memory memory, ModuleSymbols symbols) throws MemoryFault {
        Set<String> on = new TreeSet<>();
        for (ModuleSymbols.Named symbol : symbols.objectsWithPrefix(CAPABILITIES)) {
            int name = symbol.name().indexOf("_can_");
            if (name > 0 && symbol.name().endsWith("E") && memory.readByte(symbol.address()) != 0) {
                on.add(symbol.name().substring(name + 1, symbol.name().length() - 1));
            }
        }
        for (String symbol : VIRTUAL_THREADS) {
            long address = symbols.address(symbol);
            if (address != 0 && memory.readByte(address) != 0) {
                on.add(JvmtiState.VIRTUAL_THREADS);
            }
        }
        return List.copyOf(on);
    }
}
