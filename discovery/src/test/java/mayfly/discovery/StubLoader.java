package mayfly.discovery;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.process.KernelThreads;
import mayfly.process.Memory;
import mayfly.profile.RuntimeId;
import mayfly.runtime.Examination;
import mayfly.runtime.ExaminedLibrary;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.RuntimeProblem.Reason;
import mayfly.runtime.RuntimeStart;
import org.jspecify.annotations.Nullable;

/** Opens stubs in the libraries of one name, as scripted for each of their addresses. */
final class StubLoader implements RuntimeLoader {
    /** The state of a runtime in its library. */
    enum State {
        STARTED,
        ONLY_MAPPED,
        UNREADABLE
    }

    private final String library;
    private final Map<Long, State> states = new HashMap<>();
    private final Map<Long, Long> starts = new HashMap<>();

    StubLoader(String library) {
        this.library = library;
    }

    /** Changes the state of the library at an address; a runtime starts one tick after the previous one. */
    StubLoader with(long start, State state) {
        return with(start, state, starts.size() + 1);
    }

    /** Changes the state of the library at an address. A runtime that has been started has this start time. */
    StubLoader with(long start, State state, long ticks) {
        states.put(start, state);
        if (state == State.STARTED) {
            starts.put(start, ticks);
        }
        return this;
    }

    @Override
    public boolean isLibrary(String fileName) {
        return fileName.equals(library);
    }

    @Override
    public Examination examine(
            Architecture cpu,
            Memory memory,
            List<? extends RuntimeModule> libraries,
            List<ManagedRuntime> known,
            KernelThreads threads) {
        return new Examination(
                libraries.stream().map(module -> new Library(module, known)).toList(), List.of());
    }

    private final class Library implements ExaminedLibrary {
        private final RuntimeModule module;
        private final List<ManagedRuntime> known;
        private final State state;

        Library(RuntimeModule module, List<ManagedRuntime> known) {
            this.module = module;
            this.known = known;
            this.state = states.getOrDefault(module.start(), State.ONLY_MAPPED);
        }

        @Override
        public @Nullable RuntimeStart start() {
            Long ticks = starts.get(module.start());
            return ticks == null ? null : new RuntimeStart(ticks, module.start());
        }

        @Override
        public FoundRuntime open(@Nullable RuntimeId id) {
            return new FoundRuntime(
                    module, "Stub", id == null ? null : runtime(id), problem(state), state != State.ONLY_MAPPED);
        }

        private ManagedRuntime runtime(RuntimeId id) {
            return known.stream()
                    .filter(each -> each.libraryStart() == module.start())
                    .findFirst()
                    .orElseGet(() -> new StubRuntime(id, module.start()));
        }
    }

    private static @Nullable RuntimeProblem problem(State state) {
        return switch (state) {
            case STARTED -> null;
            case ONLY_MAPPED -> new RuntimeProblem(Reason.STARTING, "no runtime was started in it", "");
            case UNREADABLE -> new RuntimeProblem(Reason.INCONSISTENT, "it contradicts itself", "");
        };
    }
}
