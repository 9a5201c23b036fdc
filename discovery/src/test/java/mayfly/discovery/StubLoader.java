package mayfly.discovery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.RuntimeProblem.Reason;
import org.jspecify.annotations.Nullable;

/** Opens stubs in the libraries of one name, as scripted for each of their addresses. */
final class StubLoader implements RuntimeLoader {
    /** The state of a runtime in its library. */
    enum State { STARTED, ONLY_MAPPED, UNREADABLE }

    private final String library;
    private final Map<Long, State> states = new HashMap<>();
    private final List<Long> startOrder = new ArrayList<>();

    StubLoader(String library) {
        this.library = library;
    }

    /** Changes the state of the library at an address; started runtimes are numbered in the order of the calls. */
    StubLoader with(long start, State state) {
        states.put(start, state);
        if (state == State.STARTED) {
            startOrder.add(start);
        }
        return this;
    }

    @Override
    public boolean isLibrary(String fileName) {
        return fileName.equals(library);
    }

    @Override
    public List<FoundRuntime> open(Architecture cpu, Memory memory, List<? extends RuntimeModule> libraries,
            List<ManagedRuntime> known, KernelThreads threads, int numbered) {
        List<FoundRuntime> found = new ArrayList<>();
        for (RuntimeModule module : libraries) {
            State state = states.getOrDefault(module.start(), State.ONLY_MAPPED);
            ManagedRuntime runtime = state == State.STARTED ? runtime(module.start(), known, numbered) : null;
            found.add(new FoundRuntime(module, "Stub", runtime, problem(state), state != State.ONLY_MAPPED));
        }
        return found;
    }

    private ManagedRuntime runtime(long start, List<ManagedRuntime> known, int numbered) {
        return known.stream().filter(each -> each.libraryStart() == start).findFirst()
                .orElseGet(() -> new StubRuntime(numbered + startOrder.indexOf(start) + 1, start));
    }

    private static @Nullable RuntimeProblem problem(State state) {
        return switch (state) {
            case STARTED -> null;
            case ONLY_MAPPED -> new RuntimeProblem(Reason.STARTING, "no runtime was started in it", "");
            case UNREADABLE -> new RuntimeProblem(Reason.INCONSISTENT, "it contradicts itself", "");
        };
    }
}
