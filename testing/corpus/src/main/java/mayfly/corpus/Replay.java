package mayfly.corpus;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.process.replay.RecordedWalk;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.unwind.NativeCode;
import mayfly.unwind.StackSnapshot;
import mayfly.unwind.Walker;

/** Performs one walk with a new walker, on a recorded process or on a process that is being recorded. */
final class Replay {
    static final int MAX_FRAMES = 1024;

    private Replay() {}

    /** Walks the recorded process. */
    static Walked of(RecordedProcess process) throws IOException, UnsupportedVm {
        return of(process, process.snapshot());
    }

    /** Walks a process that may differ from its snapshot. */
    static Walked of(TargetProcess process, ProcessSnapshot snapshot) throws IOException, UnsupportedVm {
        RecordedWalk start = snapshot.walk();
        if (start == null) {
            throw new IOException("a snapshot without a walk");
        }
        return walk(process, process.memory(), new RecordedSymbols(snapshot), start, count -> start.stack());
    }

    /**
     * Opens the runtime of the process and walks.
     *
     * @param memory the memory of the process, which may be cached
     * @param stack the words of the stack at the start
     */
    static Walked walk(
            TargetProcess process, Memory memory, ModuleSymbols symbols, RecordedWalk start, StackSnapshot.Words stack)
            throws IOException, UnsupportedVm {
        NativeCode code = NativeCode.of(process);
        return walk(process, memory, code, RuntimeKind.open(memory, code, symbols), start, stack);
    }

    /** Walks with a runtime that has been opened. */
    static Walked walk(
            TargetProcess process,
            Memory memory,
            NativeCode code,
            ManagedRuntime runtime,
            RecordedWalk start,
            StackSnapshot.Words stack) {
        Walker walker = new Walker(memory, process.memory(), code, List.of(runtime));
        walker.newEpoch(start.epochNanos());
        List<Frame> frames = new ArrayList<>();
        WalkOutcome outcome = walker.walk(
                        new StackSnapshot(
                                start.registers(),
                                false,
                                stack,
                                start.stack().length,
                                start.stackBase(),
                                start.timeNanos(),
                                MAX_FRAMES),
                        frames::add)
                .outcome();
        return new Walked(outcome, frames);
    }

    record RecordedSymbols(ProcessSnapshot snapshot) implements ModuleSymbols {
        @Override
        public long address(String name) {
            return snapshot.symbols().getOrDefault(name, 0L);
        }

        @Override
        public List<Named> objectsWithPrefix(String prefix) {
            List<Named> found = new ArrayList<>();
            for (Map.Entry<String, Long> symbol : snapshot.symbols().entrySet()) {
                if (symbol.getKey().startsWith(prefix) && symbol.getValue() != 0) {
                    found.add(new Named(symbol.getValue(), symbol.getKey()));
                }
            }
            return found;
        }
    }
}
