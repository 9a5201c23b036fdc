package mayfly.hotspot;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import org.jspecify.annotations.Nullable;

/** Finds and opens HotSpot JVMs. Their ids are those of {@link StartedVms}. */
public final class HotSpotLoader implements RuntimeLoader {
    static final String KIND = "HotSpot";
    /** The file name of a JVM's library. */
    private static final String LIBRARY = "libjvm.so";

    @Override
    public boolean isLibrary(String fileName) {
        return fileName.equals(LIBRARY);
    }

    @Override
    public List<FoundRuntime> open(Architecture cpu, Memory memory, List<? extends RuntimeModule> libraries,
            List<ManagedRuntime> known, KernelThreads threads, int numbered) throws IOException {
        List<StartedVms.Library> mapped = new ArrayList<>();
        for (RuntimeModule library : libraries) {
            mapped.add(new StartedVms.Library(library.start(), library.symbols()));
        }
        List<HotSpot> vms = known.stream().filter(HotSpot.class::isInstance).map(HotSpot.class::cast).toList();
        List<StartedVms.Opened> opened = StartedVms.open(cpu, memory, mapped, vms, threads, numbered);
        List<FoundRuntime> found = new ArrayList<>();
        for (int i = 0; i < opened.size(); i++) {
            StartedVms.Opened each = opened.get(i);
            found.add(new FoundRuntime(libraries.get(i), KIND, each.vm(), problem(libraries.get(i), each),
                    each.mayHaveStarted()));
        }
        return found;
    }

    private static @Nullable RuntimeProblem problem(RuntimeModule library, StartedVms.Opened opened) {
        if (opened.vm() != null) {
            return null;
        }
        UnsupportedVm problem = opened.problem();
        if (problem == null) {
            return new RuntimeProblem(RuntimeProblem.Reason.NO_SYMBOLS,
                    "the symbols of " + library.path() + " cannot be read: " + library.problem(), "");
        }
        return new RuntimeProblem(switch (problem.reason()) {
            case NOT_HOTSPOT -> RuntimeProblem.Reason.OTHER_RUNTIME;
            case STARTING -> RuntimeProblem.Reason.STARTING;
            case TOO_OLD -> RuntimeProblem.Reason.TOO_OLD;
            case OTHER_CPU -> RuntimeProblem.Reason.OTHER_CPU;
            case INCONSISTENT -> RuntimeProblem.Reason.INCONSISTENT;
        }, String.valueOf(problem.getMessage()), problem.version());
    }
}
