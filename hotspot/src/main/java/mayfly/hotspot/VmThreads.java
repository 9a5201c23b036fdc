package mayfly.hotspot;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of the VM's own threads. No table of the VM leads to those that are no Java threads, and the kernel keeps
 * 15 bytes of a name; each row is a name as HotSpot's sources have it, of which more than that is known.
 */
public final class VmThreads {
    /** TASK_COMM_LEN less the NUL, see pthread_setname_np(3). */
    private static final int KERNELS_LENGTH = 15;

    static final List<String> NAMES = List.of(
            // watcherThread.cpp; in JDK 11 thread.cpp
            "VM Periodic Task Thread",
            // g1YoungRemSetSamplingThread.cpp, up to JDK 14
            "G1 Young RemSet Sampling",
            // stringDedupThread.cpp up to JDK 17, stringDedupProcessor.cpp
            "StringDedupThread", "StringDedupProcessor",
            // shenandoahControlThread.cpp, shenandoahConcurrentThread.hpp, shenandoahRegulatorThread.cpp,
            // shenandoahUncommitThread.cpp; shenandoahHeap.cpp, whose workers' numbers are cut off
            "Shenandoah Control Thread", "ShenandoahControlThread", "Shenandoah Concurrent Thread",
            "Shenandoah Regulator Thread", "Shenandoah Uncommit Thread", "Shenandoah GC Threads",
            // safepoint.cpp, whose workers' numbers are cut off
            "Safepoint Cleanup Thread",
            // jfrThreadSampler.cpp, jfrCPUTimeThreadSampler.cpp
            "JFR Thread Sampler", "JFR Sampler Thread", "JFR CPU Sampler Thread",
            // archiveUtils.cpp
            "Archive Worker Thread",
            // Java threads, for when their objects cannot be read
            "Signal Dispatcher", "Monitor Deflation Thread", "Notification Thread", "Reference Handler");

    private static final Map<String, String> BY_KERNELS = byKernels();

    private VmThreads() {
    }

    private static Map<String, String> byKernels() {
        Map<String, String> byKernels = new HashMap<>();
        NAMES.forEach(name -> byKernels.put(name.substring(0, KERNELS_LENGTH), name));
        return byKernels;
    }

    /** The whole name of a thread of a process with a VM, by the kernel's name of it; the same if no more is known. */
    public static String wholeName(String kernelsName) {
        return BY_KERNELS.getOrDefault(kernelsName, kernelsName);
    }
}
