package mayfly.hotspot.inventory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.threads.ThreadInfos;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThread;

/**
 * Distinguishes the threads that the VM and the JDK start for themselves from those of the program. A thread of the
 * program is an ordinary JavaThread, and its object is of a class that a program can use. Names are not considered,
 * because a program can choose any.
 */
public final class ThreadOwners {
    private static final String REFERENCE_HANDLER = "java.lang.ref.Reference$ReferenceHandler";
    /** Classes in java.base that code of a program cannot instantiate. */
    private static final Set<String> OF_JDK = Set.of(
            REFERENCE_HANDLER,
            "java.lang.ref.Finalizer$FinalizerThread",
            "jdk.internal.misc.InnocuousThread",
            "jdk.internal.misc.CarrierThread");

    private ThreadOwners() {}

    /**
     * @return the owners, by the thread ids in the process's own pid namespace; empty if the VM's threads cannot be
     *         distinguished
     * @throws MemoryFault if the target's memory cannot be read
     */
    public static Map<Integer, ThreadOwner> read(
            Memory memory, List<ManagedThread> threads, ThreadInfos infos, Methods methods, long epoch)
            throws MemoryFault {
        Map<ManagedThread, String> classes = new HashMap<>();
        long ordinary = 0;
        for (ManagedThread thread : threads) {
            String name = className(thread, infos, methods, epoch);
            classes.put(thread, name);
            if (name.equals(REFERENCE_HANDLER)) {
                ordinary = virtualTable(memory, thread);
            }
        }
        Map<Integer, ThreadOwner> owners = new HashMap<>();
        if (ordinary != 0) {
            for (ManagedThread thread : threads) {
                String name = classes.getOrDefault(thread, "");
                if (virtualTable(memory, thread) != ordinary) {
                    owners.put(thread.tid(), ThreadOwner.VM);
                } else if (OF_JDK.contains(name)) {
                    owners.put(thread.tid(), ThreadOwner.JDK);
                } else {
                    boolean runsCode = runsCode(thread, name, infos, epoch);
                    owners.put(thread.tid(), runsCode ? ThreadOwner.PROGRAM : ThreadOwner.OTHER);
                }
            }
        }
        return owners;
    }

    private static boolean runsCode(ManagedThread thread, String className, ThreadInfos infos, long epoch) {
        try {
            return !className.isEmpty() && (!className.equals("java.lang.Thread") || infos.hasTask(thread, epoch));
        } catch (MemoryFault | BadMetadata | Unreadable e) {
            return false;
        }
    }

    /** Returns the first word of a JavaThread: its vtable pointer. */
    private static long virtualTable(Memory memory, ManagedThread thread) throws MemoryFault {
        return memory.readLong(thread.handle());
    }

    private static String className(ManagedThread thread, ThreadInfos infos, Methods methods, long epoch) {
        try {
            long klass = infos.klass(thread, epoch);
            return klass == 0 ? "" : methods.className(klass);
        } catch (MemoryFault | BadMetadata | Unreadable e) {
            return "";
        }
    }
}
