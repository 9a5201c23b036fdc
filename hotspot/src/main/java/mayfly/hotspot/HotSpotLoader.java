package mayfly.hotspot;

import java.io.IOException;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.runtime.Examination;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeModule;

/** Finds and opens HotSpot JVMs. {@link StartedVms} finds the start of each. */
public final class HotSpotLoader implements RuntimeLoader {
    static final String KIND = "HotSpot";
    /** The file name of a JVM's library. */
    private static final String LIBRARY = "libjvm.so";

    @Override
    public boolean isLibrary(String fileName) {
        return fileName.equals(LIBRARY);
    }

    @Override
    public Examination examine(
            Architecture cpu,
            Memory memory,
            List<? extends RuntimeModule> libraries,
            List<ManagedRuntime> known,
            KernelThreads threads)
            throws IOException {
        List<HotSpot> vms = known.stream()
                .filter(HotSpot.class::isInstance)
                .map(HotSpot.class::cast)
                .toList();
        return StartedVms.examine(cpu, memory, libraries, vms, threads);
    }
}
