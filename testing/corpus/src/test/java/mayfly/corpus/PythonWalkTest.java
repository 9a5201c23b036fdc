package mayfly.corpus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import mayfly.arch.x86.X86_64;
import mayfly.corpus.python.Layout;
import mayfly.process.Memory;
import mayfly.process.replay.BadSnapshot;
import mayfly.process.replay.RecordedProcess;
import mayfly.process.replay.RecordedWalk;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.AddressRange;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Walks of a CPython process. A runtime interposes its frames at the calls of the evaluator. The oracle is the stack
 * that the program has printed, in which each frame is marked as called by C code or by Python code.
 */
@Timeout(60)
class PythonWalkTest {
    private static final String UNREADABLE = "Python frames that cannot be read";
    private static final String INCONSISTENT = "Python frames that contradict themselves";
    private static final Layout LAYOUT = Layout.V3_11;
    private static final long WILD = 0x1234_5678_9000L;
    /** Upper bound on the reads of a walk. A walk of an intact snapshot makes fewer than a thousand. */
    private static final long MAX_READS = 1_000_000;

    /** The result of a walk, and the rare events that the runtime has counted during it. */
    private record Result(Walked walked, Map<String, Long> rare) {}

    private RecordedProcess process = recorded();
    private ChangedProcess changed = new ChangedProcess(process);
    private RecordedWalk start = start();
    private long thread;
    /** The addresses of the innermost call of the evaluator and of the innermost Python frame. */
    private long call;

    private long frame;

    static List<Case> cases() throws IOException {
        return Case.in(Record.recordings()).stream()
                .filter(one -> one.toString().startsWith("python-"))
                .toList();
    }

    private static Case main() throws IOException {
        return cases().stream()
                .filter(one -> one.name().equals("main"))
                .findFirst()
                .orElseThrow();
    }

    private static RecordedProcess recorded() {
        try {
            return main().open();
        } catch (IOException | BadSnapshot e) {
            throw new AssertionError(e);
        }
    }

    private RecordedWalk start() {
        return Objects.requireNonNull(process.snapshot().walk());
    }

    @BeforeEach
    void findTheInnermostFrame() throws Exception {
        Memory memory = process.memory();
        long interpreter = memory.readLong(symbol("_PyRuntime") + LAYOUT.firstInterpreter());
        thread = memory.readLong(interpreter + LAYOUT.firstThread());
        while ((int) memory.readLong(thread + LAYOUT.threadId())
                != start.thread().tid()) {
            thread = memory.readLong(thread + LAYOUT.nextThread());
        }
        call = memory.readLong(thread + LAYOUT.call());
        frame = start.stack()[(int) (call + LAYOUT.callFrame() - start.stackBase()) / Long.BYTES];
    }

    private long symbol(String name) {
        return Objects.requireNonNull(process.snapshot().symbols().get(name));
    }

    private Result walk() throws Exception {
        NativeCode code = NativeCode.of(changed);
        ManagedRuntime runtime = RuntimeKind.open(changed, code, new Replay.RecordedSymbols(process.snapshot()));
        Walked walked = Replay.walk(changed, changed, code, runtime, start, count -> start.stack());
        return new Result(walked, runtime.rareEvents());
    }

    /** Returns the Python frames as the oracle prints them. */
    private static List<String> python(Walked walked) {
        List<String> lines = new ArrayList<>();
        List<Frame> frames = walked.frames();
        for (int i = 0; i < frames.size(); i++) {
            if (frames.get(i) instanceof Frame.Managed managed) {
                String caller = frames.get(i + 1) instanceof Frame.Managed ? "p" : "c";
                lines.add(caller + " " + managed.method() + " " + managed.file() + ":" + managed.line());
            }
        }
        return lines;
    }

    /** Returns the native frames of the evaluator. */
    private List<Frame> evaluators(Walked walked) throws Exception {
        NativeModule library = RuntimeKind.library(NativeCode.of(process));
        AddressRange evaluator = Objects.requireNonNull(library.functionAt(symbol("_PyEval_EvalFrameDefault")));
        return walked.frames().stream()
                .filter(each -> each instanceof Frame.Native found
                        && found.library().equals(library.library())
                        && found.address() + library.bias() >= evaluator.start()
                        && found.address() + library.bias() < evaluator.end())
                .toList();
    }

    /** Returns the number of frames of the innermost call of the evaluator. */
    private static int innermostCall(List<String> oracle) {
        return oracle.indexOf(oracle.stream()
                        .filter(line -> line.startsWith("c "))
                        .findFirst()
                        .orElseThrow())
                + 1;
    }

    /** Asserts that the innermost call of the evaluator is a native frame and that all others are Python frames. */
    private void assertInnermostCallIsNative(Result result) throws Exception {
        assertThat(result.walked().outcome()).isEqualTo(WalkOutcome.COMPLETE);
        List<String> oracle = main().oracle();
        assertThat(python(result.walked())).isEqualTo(oracle.subList(innermostCall(oracle), oracle.size()));
        assertThat(evaluators(result.walked())).hasSize(1);
        assertThat(changed.reads()).isLessThan(MAX_READS);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void walkHasThePythonFramesThatTheProgramPrintedInOrderBetweenItsNativeFrames(Case one) throws Exception {
        process = one.open();
        Walked walked = Replay.of(process);
        assertThat(python(walked)).isEqualTo(one.oracle()).isNotEmpty();
        assertThat(evaluators(walked)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void walkReachesTheRootOfTheThread(Case one) throws Exception {
        process = one.open();
        Walked walked = Replay.of(process);
        assertThat(walked.outcome()).isEqualTo(WalkOutcome.COMPLETE);
        String root = one.name().equals("main") ? " _start" : " __clone3";
        assertThat(walked.lines(process.snapshot()).getLast()).endsWith(root);
    }

    @Test
    void unchangedProcessCountsNothingRare() throws Exception {
        assertThat(walk().rare()).isEmpty();
        assertThat(changed.reads()).isLessThan(1000);
    }

    @Test
    void truncatedRecordingIsRefused() throws IOException {
        byte[] whole = main().bytes();
        for (int length = 0; length < whole.length - 8; length += 997) {
            byte[] torn = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> RecordedProcess.read(X86_64.ARCHITECTURE, torn))
                    .as("%d bytes", length)
                    .isInstanceOf(BadSnapshot.class);
        }
    }

    @Test
    void cycleOfFramesLeavesTheNativeFrame() throws Exception {
        changed.with(frame + LAYOUT.caller(), frame);
        Result result = walk();
        assertInnermostCallIsNative(result);
        assertThat(result.rare()).isEqualTo(Map.of(INCONSISTENT, 1L));
    }

    @Test
    void wildPointerToACallerLeavesTheNativeFrame() throws Exception {
        changed.with(frame + LAYOUT.caller(), WILD);
        Result result = walk();
        assertInnermostCallIsNative(result);
        assertThat(result.rare()).isEqualTo(Map.of(UNREADABLE, 1L));
    }

    @Test
    void objectThatIsNotCodeLeavesTheNativeFrame() throws Exception {
        long code = changed.readLong(frame + LAYOUT.code());
        changed.with(frame + LAYOUT.code(), changed.readLong(code + LAYOUT.lines()));
        Result result = walk();
        assertInnermostCallIsNative(result);
        assertThat(result.rare()).isEqualTo(Map.of(INCONSISTENT, 1L));
    }

    @Test
    void absurdLengthOfANameLeavesTheNativeFrame() throws Exception {
        long name = changed.readLong(changed.readLong(frame + LAYOUT.code()) + LAYOUT.name());
        changed.with(name + LAYOUT.length(), Long.MAX_VALUE);
        Result result = walk();
        assertInnermostCallIsNative(result);
        assertThat(result.rare()).isEqualTo(Map.of(INCONSISTENT, 1L));
    }

    /** The evaluator has been called, and has not yet stored its {@code _PyCFrame} in the thread. */
    @Test
    void callThatIsNotListedYetStaysNativeAndTheOthersKeepTheirPlaces() throws Exception {
        changed.with(thread + LAYOUT.call(), changed.readLong(call + LAYOUT.outerCall()));
        Result result = walk();
        assertInnermostCallIsNative(result);
        assertThat(result.rare()).isEmpty();
    }

    @Test
    void cycleOfCallsLeavesTheOuterNativeFrames() throws Exception {
        changed.with(call + LAYOUT.outerCall(), call);
        Walked walked = walk().walked();
        assertThat(walked.outcome()).isEqualTo(WalkOutcome.COMPLETE);
        List<String> oracle = main().oracle();
        assertThat(python(walked)).isEqualTo(oracle.subList(0, innermostCall(oracle)));
        assertThat(evaluators(walked)).isNotEmpty();
    }

    @Test
    void cycleOfThreadsEnds() throws Exception {
        changed.with(thread + LAYOUT.nextThread(), thread);
        assertThat(python(walk().walked())).isEqualTo(main().oracle());
        assertThat(changed.reads()).isLessThan(MAX_READS);
    }

    @Test
    void cycleOfInterpretersEnds() throws Exception {
        long interpreter = changed.readLong(symbol("_PyRuntime") + LAYOUT.firstInterpreter());
        changed.with(interpreter + LAYOUT.nextInterpreter(), interpreter);
        assertThat(python(walk().walked())).isEqualTo(main().oracle());
        assertThat(changed.reads()).isLessThan(MAX_READS);
    }

    @Test
    void wildPointerToAThreadLeavesAllNativeFrames() throws Exception {
        changed.with(symbol("_PyRuntime") + LAYOUT.firstInterpreter(), WILD);
        Result result = walk();
        assertThat(result.walked().outcome()).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(python(result.walked())).isEmpty();
        assertThat(result.rare()).containsOnlyKeys(UNREADABLE);
    }

    @Test
    void anyWrongByteEndsInAnOutcomeAfterABoundedNumberOfReads() throws Exception {
        walk();
        SplittableRandom random = new SplittableRandom(1);
        long reads = changed.reads();
        int walked = 0;
        for (int round = 0; round < 100; round++) {
            long read = random.nextLong(reads);
            changed = new ChangedProcess(process).withNoise(read, random.nextInt(1, 256));
            try {
                Walked found = walk().walked();
                assertThat(found.frames()).as("read %d", read).hasSizeLessThanOrEqualTo(Replay.MAX_FRAMES);
                walked++;
            } catch (IOException e) {
                assertThat(e).as("read %d", read).hasMessageStartingWith("CPython at 0x");
            }
            assertThat(changed.reads()).as("read %d", read).isLessThan(MAX_READS);
        }
        assertThat(walked).isPositive();
    }

    @Test
    void anotherVersionIsRefused() {
        changed.with(symbol("Py_Version"), 0x030c01f0L);
        assertThatThrownBy(this::walk)
                .isInstanceOf(IOException.class)
                .hasMessage("CPython at 0x400000: its structures are not known");
    }

    @Test
    void runtimeWithoutAnInterpreterIsRefused() {
        changed.with(symbol("_PyRuntime") + LAYOUT.firstInterpreter(), 0);
        assertThatThrownBy(this::walk)
                .isInstanceOf(IOException.class)
                .hasMessage("CPython at 0x400000: no interpreter was started in it");
    }
}
