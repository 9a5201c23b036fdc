package mayfly.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.linux.LiveProcess;
import mayfly.linux.proc.KernelSymbols;
import mayfly.process.Mapping;
import mayfly.profile.Frame;
import mayfly.profile.RecordedLibrary;
import mayfly.profile.Recording;
import mayfly.profile.StackTable;
import mayfly.profile.capture.CaptureRecord;
import mayfly.profile.capture.CaptureTail;
import mayfly.profile.capture.CaptureWriter;
import mayfly.record.event.RecordingEvent;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import mayfly.unwind.Symbolizer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads each capture as if its recorder were killed: it is never closed. Uses this process as the target. */
class FrameSymbolsTest {
    private static final long START = 1_000;
    private static final int FUNCTIONS = 20;

    private LiveProcess process;
    private NativeModule vm;
    private final List<Frame.Native> functions = new ArrayList<>();
    private final StackTable stacks = new StackTable();
    private CaptureWriter writer;
    private CaptureTail tail;
    private FrameSymbols symbols;
    private final List<CaptureRecord> records = new ArrayList<>();

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        process = LiveProcess.open((int) ProcessHandle.current().pid());
        NativeCode code = NativeCode.of(process);
        vm = code.modules().stream()
                .filter(module -> module.name().equals("libjvm.so"))
                .findFirst()
                .orElseThrow();
        findFunctions(new Symbolizer(code));
        Path file = folder.resolve("killed.mayfly");
        writer = CaptureWriter.create(
                file,
                new Recording(
                        42,
                        "java Main",
                        "Main",
                        List.of(),
                        List.of(RecordingEvent.CPU.sampled(99)),
                        "test",
                        "6.12",
                        4,
                        0,
                        0));
        writer.identifyLibraries(library -> vm.buildId());
        tail = CaptureTail.open(file);
        symbols = new FrameSymbols(code, List.of(), stacks, writer, START);
    }

    @AfterEach
    void close() throws Exception {
        tail.close();
        writer.close();
        process.close();
    }

    private void findFunctions(Symbolizer names) {
        Mapping code =
                vm.mappings().stream().filter(Mapping::executable).findFirst().orElseThrow();
        String last = "";
        for (long pc = code.start(); functions.size() < FUNCTIONS; pc += 16) {
            assertThat(pc).as("libjvm.so has symbols").isLessThan(code.end());
            var frame = new Frame.Native(vm.library(), vm.vaddr(pc), "", true);
            String name = names.symbol(frame);
            if (!name.isEmpty() && !name.equals(last)) {
                functions.add(frame);
                last = name;
            }
        }
    }

    private void record(int from, int to) throws Exception {
        for (Frame.Native function : functions.subList(from, to)) {
            stacks.stack(StackTable.NO_FRAMES, stacks.frame(function));
        }
        writer.append(stacks);
    }

    /** Returns the names in the capture so far, by the frame. */
    private Map<Integer, String> written() throws Exception {
        writer.flush();
        records.addAll(tail.poll());
        Map<Integer, String> names = new TreeMap<>();
        for (CaptureRecord each : records) {
            if (each instanceof CaptureRecord.Symbol(int id, Frame.Native frame)) {
                assertThat(names.put(id, frame.symbol()))
                        .as("each frame is named once")
                        .isNull();
            }
        }
        return names;
    }

    private void turnUntilDone(boolean urgent, long now, int count) throws Exception {
        for (int i = 0; i < count && written().size() < count; i++) {
            symbols.turn(urgent, now);
        }
    }

    @Test
    void captureOfKilledRecorderHasTheNamesAndBuildIdsOfItsNativeFrames() throws Exception {
        record(0, FUNCTIONS);
        turnUntilDone(false, START + FrameSymbols.INTERVAL_NANOS, FUNCTIONS);
        var names = new Symbolizer(NativeCode.of(process));
        assertThat(written().values())
                .containsExactlyElementsOf(functions.stream().map(names::symbol).toList());
        assertThat(records).contains(new CaptureRecord.NewLibrary(new RecordedLibrary("libjvm.so", vm.buildId())));
    }

    @Test
    void framesGetNamesAtIntervals() throws Exception {
        record(0, 1);
        symbols.turn(false, START + FrameSymbols.INTERVAL_NANOS - 1);
        assertThat(written()).as("before the interval is over").isEmpty();
        symbols.turn(false, START + FrameSymbols.INTERVAL_NANOS);
        assertThat(written()).hasSize(1);
        record(1, 2);
        symbols.turn(false, START + 2 * FrameSymbols.INTERVAL_NANOS - 1);
        assertThat(written()).as("seen since the last turn").hasSize(1);
        symbols.turn(false, START + 2 * FrameSymbols.INTERVAL_NANOS);
        assertThat(written()).hasSize(2);
    }

    @Test
    void urgentDrainsPostponeNamesButNotEndlessly() throws Exception {
        record(0, 1);
        symbols.turn(true, START + FrameSymbols.MAX_INTERVAL_NANOS - 1);
        assertThat(written()).isEmpty();
        symbols.turn(true, START + FrameSymbols.MAX_INTERVAL_NANOS);
        assertThat(written()).hasSize(1);
    }

    @Test
    void fullTableIsEmptiedAfterItsFramesAreNamed() throws Exception {
        record(0, 1);
        symbols.makeRoom(new KernelFrames(KernelSymbols::none));
        assertThat(written()).as("not full").isEmpty();
        for (int i = 1; i < StackTable.MAX_FRAMES; i++) {
            stacks.frame(new Frame.Omitted(i));
        }
        writer.append(stacks);
        symbols.makeRoom(new KernelFrames(KernelSymbols::none));
        assertThat(stacks.firstFrame()).isEqualTo(StackTable.MAX_FRAMES);
        record(0, 1);
        symbols.finish(new KernelFrames(KernelSymbols::none));
        assertThat(written())
                .containsOnlyKeys(0, StackTable.MAX_FRAMES)
                .extractingByKey(0)
                .isEqualTo(written().get(StackTable.MAX_FRAMES));
    }

    @Test
    void endNamesOnlyFramesThatHaveNoNameYet() throws Exception {
        record(0, 1);
        symbols.turn(false, START + FrameSymbols.INTERVAL_NANOS);
        record(1, FUNCTIONS);
        symbols.finish(new KernelFrames(KernelSymbols::none));
        assertThat(written()).hasSize(FUNCTIONS);
    }
}
