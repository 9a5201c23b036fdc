package mayfly.hotspot.threads;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.process.KernelThreadName;

/**
 * The names of the VM's own threads. No table of the VM lists those that are not Java threads, and the kernel truncates
 * their names; each row is a name from HotSpot's sources.
 */
public final class VmThreads {
    static final List<String> NAMES = List.of(
            // watcherThread.cpp; in JDK 11 thread.cpp
            "VM Periodic Task Thread",
            // g1YoungRemSetSamplingThread.cpp, up to JDK 14
            "G1 Young RemSet Sampling",
            // g1ConcurrentRefineThread.cpp and g1ConcurrentRefine.cpp, since JDK 26; workers are numbered
            "G1 Refine Control",
            "G1 Refinement Workers",
            // stringDedupThread.cpp up to JDK 17, stringDedupProcessor.cpp
            "StringDedupThread",
            "StringDedupProcessor",
            // shenandoahControlThread.cpp, shenandoahConcurrentThread.hpp, shenandoahRegulatorThread.cpp,
            // shenandoahUncommitThread.cpp; shenandoahHeap.cpp, whose workers' numbers are cut off
            "Shenandoah Control Thread",
            "ShenandoahControlThread",
            "Shenandoah Concurrent Thread",
            "Shenandoah Regulator Thread",
            "Shenandoah Uncommit Thread",
            "Shenandoah GC Threads",
            // safepoint.cpp, whose workers' numbers are cut off
            "Safepoint Cleanup Thread",
            // jfrThreadSampler.cpp, jfrCPUTimeThreadSampler.cpp
            "JFR Thread Sampler",
            "JFR Sampler Thread",
            "JFR CPU Sampler Thread",
            // archiveUtils.cpp; the second up to JDK 25
            "Archive Worker Thread",
            "ArchiveWorkerThread",
            // Java threads, in case their objects cannot be read
            "Signal Dispatcher",
            "Monitor Deflation Thread",
            "Notification Thread",
            "Reference Handler");

    private static final Map<String, String> BY_KERNELS = byKernels();
    private static final Pattern NUMBERED = Pattern.compile("(.{7})\\.\\.(.*)(#[0-9]+)");

    private VmThreads() {}

    private static Map<String, String> byKernels() {
        Map<String, String> byKernels = new HashMap<>();
        for (String name : NAMES) {
            for (String kernels : KernelThreadName.of(name)) {
                byKernels.put(kernels, name);
            }
        }
        return byKernels;
    }

    /**
     * Returns the complete name of a thread of a process with a VM, derived from the kernel's name of the thread; the
     * kernel's name itself if no complete name is known.
     */
    public static String wholeName(String kernelsName) {
        String known = BY_KERNELS.get(kernelsName);
        return known != null ? known : numberedName(kernelsName);
    }

    /**
     * Returns the name of a numbered worker. Since JDK 26 the kernel's name contains the number:
     * {@code Shenand..eads#3}.
     */
    private static String numberedName(String kernelsName) {
        Matcher numbered = NUMBERED.matcher(kernelsName);
        if (numbered.matches()) {
            for (String name : NAMES) {
                if (name.startsWith(numbered.group(1)) && name.endsWith(numbered.group(2))) {
                    return name + numbered.group(3);
                }
            }
        }
        return kernelsName;
    }
}
