package mayfly.corpus;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import mayfly.binary.elf.ElfSymbols;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.PagedMemory;
import mayfly.process.Registers;
import mayfly.process.TargetThread;
import mayfly.process.replay.BadSnapshot;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.process.replay.RecordedWalk;
import mayfly.process.replay.SnapshotFormat;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import mayfly.unwind.StackSnapshot;
import mayfly.unwind.Symbolizer;
import mayfly.unwind.Walker;

/** Walks the threads of a live process, and records a walk on demand. Confined to one thread. */
final class WalkRecorder {
    private static final int MAX_FRAMES = 1024;
    private static final int MAX_EXPLORED = 48;

    /**
     * A walk and all data that it read.
     *
     * @param snapshot all data that the walk read, with the input of the walk
     * @param walked the result, which is the same in the live process and in the replay
     */
    record Recorded(ProcessSnapshot snapshot, Walked walked) {}

    private final LiveProcess process;
    private final PagedMemory memory;
    private final NativeCode code;
    private final LiveSymbols symbols;
    private final ManagedRuntime runtime;
    private final Walker walker;
    private final Symbolizer symbolizer;

    WalkRecorder(LiveProcess process) throws IOException, UnsupportedVm {
        this.process = process;
        this.memory = new PagedMemory(process.memory());
        this.code = NativeCode.of(process);
        NativeModule library = RuntimeKind.library(code);
        ElfSymbols table = library.symbols();
        if (table == null) {
            throw new IOException(library.problem());
        }
        this.symbols = new LiveSymbols(table, library.bias());
        this.runtime = RuntimeKind.open(memory, code, symbols);
        this.walker = new Walker(memory, process.memory(), code, List.of(runtime));
        this.symbolizer = new Symbolizer(code);
    }

    /** Returns the version of the process's runtime. */
    String version() {
        return runtime.version();
    }

    /** Discards all cached data on the process, so that its current state is read. */
    void newEpoch() {
        memory.forget();
        walker.newEpoch(System.nanoTime());
    }

    /** Walks without recording, with the data that earlier walks have cached. */
    Walked walk(Sample at) {
        List<Frame> frames = new ArrayList<>();
        WalkOutcome outcome = walker.walk(
                        StackSnapshot.of(at.registers(), count -> at.stack(), at.stackWords(), at.time(), MAX_FRAMES),
                        frames::add)
                .outcome();
        return new Walked(outcome, frames);
    }

    String symbol(Frame frame) {
        return frame instanceof Frame.Native found ? symbolizer.symbol(found) : "";
    }

    /**
     * Walks again while recording.
     *
     * @throws IOException if a part cannot be recorded, or the result of the replay differs from that of the walk
     */
    Recorded record(TargetThread thread, Sample at) throws IOException, UnsupportedVm {
        ProcessSnapshot snapshot = new ProcessSnapshot(process.architecture());
        RecordingProcess recorded = new RecordingProcess(process, snapshot);
        Memory paged = snapshot.record(new PagedMemory(process.memory()));
        RecordedWalk start = at.walkedAt(System.nanoTime(), thread);
        int[] read = new int[1];
        Walked walked = Replay.walk(recorded, paged, symbols, start, count -> {
            read[0] = Math.max(read[0], count);
            return start.stack();
        });
        RecordedWalk kept = start;
        if (walked.outcome().isBroken()) {
            explore(recorded, paged, start);
        } else {
            kept = start.upTo(read[0]);
        }
        snapshot.walk(kept);
        symbols.keepIn(snapshot);
        for (Map.Entry<Mapping, MemorySegment> file : recorded.files().entrySet()) {
            snapshot.file(ElfExtract.of(file.getKey(), file.getValue(), addresses(file.getKey(), kept)));
        }
        for (Frame frame : walked.frames()) {
            if (frame instanceof Frame.Native found) {
                snapshot.name(found.library(), found.address(), symbolizer.symbol(found));
            }
        }
        verify(snapshot, walked);
        return new Recorded(snapshot, walked);
    }

    /** Also walks from possible outer frames, to record the data that a corrected walker will read. */
    private void explore(RecordingProcess recorded, Memory paged, RecordedWalk start)
            throws IOException, UnsupportedVm {
        long[] words = start.stack();
        for (int i = 1, walks = 0; i < words.length && walks < MAX_EXPLORED; i++) {
            if (code.isCode(words[i - 1])) {
                Registers outer = start.registers().copy();
                outer.setPc(words[i - 1]);
                outer.setSp(start.stackBase() + 8L * i);
                outer.setFp(i > 1 ? words[i - 2] : start.registers().fp());
                long[] rest = Arrays.copyOfRange(words, i, words.length);
                RecordedWalk from = new RecordedWalk(
                        start.thread(), outer, start.timeNanos(), start.epochNanos(), outer.sp(), rest);
                Replay.walk(recorded, paged, symbols, from, count -> rest);
                walks++;
            }
        }
    }

    private static void verify(ProcessSnapshot snapshot, Walked walked) throws IOException, UnsupportedVm {
        try {
            Walked again = Replay.of(RecordedProcess.read(snapshot.architecture(), SnapshotFormat.write(snapshot)));
            if (!again.equals(walked)) {
                List<String> found = again.lines(snapshot);
                List<String> wanted = walked.lines(snapshot);
                int at = 0;
                while (at < Math.min(found.size(), wanted.size())
                        && found.get(at).equals(wanted.get(at))) {
                    at++;
                }
                throw new IOException("the replay differs: " + found.subList(at, Math.min(at + 1, found.size()))
                        + ", not " + wanted.subList(at, Math.min(at + 1, wanted.size())));
            }
        } catch (BadSnapshot e) {
            throw new IOException(e);
        }
    }

    /**
     * Returns all values on the stack and in registers that may be addresses in a file's code, in the file's numbering.
     */
    private SortedSet<Long> addresses(Mapping file, RecordedWalk start) {
        SortedSet<Long> addresses = new TreeSet<>();
        for (NativeModule module : code.modules()) {
            if (module.mappings().stream().anyMatch(mapping -> mapping.start() == file.start())) {
                for (long word : start.stack()) {
                    add(word, module, addresses);
                }
                for (int r = 0; r < process.architecture().registers(); r++) {
                    add(start.registers().get(r), module, addresses);
                }
            }
        }
        return addresses;
    }

    private static void add(long word, NativeModule module, SortedSet<Long> addresses) {
        for (Mapping mapping : module.mappings()) {
            if (mapping.executable() && mapping.contains(word)) {
                addresses.add(module.vaddr(word));
            }
        }
    }
}
