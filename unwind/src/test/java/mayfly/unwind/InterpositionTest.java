package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.process.Memory;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.AddressRange;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;

/** A runtime whose code is interpreted by a native function, as CPython's is. */
class InterpositionTest {
    private static final RuntimeId ID = new RuntimeId(7);

    /** It has no code of its own: its frames are at a native function. */
    private static final class Evaluator implements ManagedRuntime {
        private final List<String> frames;
        final List<Long> asked = new ArrayList<>();
        final List<AddressRange> bounds = new ArrayList<>();
        long function = StubCpuTest.MIDDLE;
        boolean loaded = true;

        Evaluator(String... frames) {
            this.frames = List.of(frames);
        }

        @Override
        public RuntimeId id() {
            return ID;
        }

        @Override
        public String kind() {
            return "Stub";
        }

        @Override
        public String version() {
            return "stub";
        }

        @Override
        public long libraryStart() {
            return 0;
        }

        @Override
        public boolean isLibrary(String path, long start) {
            return false;
        }

        @Override
        public List<AddressRange> interposedCode() {
            long start = StubCpuTest.BIAS + function;
            return loaded ? List.of(new AddressRange(start, start + StubCpuTest.FUNCTION_SIZE)) : List.of();
        }

        @Override
        public boolean interpose(FrameCursor cursor, long frameEnd, FrameSink sink) {
            asked.add(cursor.registers().pc());
            bounds.add(new AddressRange(cursor.registers().sp(), frameEnd));
            frames.forEach(name -> sink.accept(new Frame.Stub(ID, name)));
            return !frames.isEmpty();
        }

        @Override
        public List<ManagedThread> threads() {
            return List.of();
        }

        @Override
        public ManagedThreadInfo info(ManagedThread thread) {
            return ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.NOT_DESCRIBED);
        }
    }

    private final List<String> walked = new ArrayList<>();

    private static Walker walker(Evaluator runtime) throws Exception {
        StubCpuTest.StubProcess process = new StubCpuTest.StubProcess(StubCpuTest.file(), StubCpuTest.stack());
        Memory memory = process.memory();
        return new Walker(memory, memory, NativeCode.of(process), List.of(runtime));
    }

    private WalkOutcome walk(Walker walker, int maxFrames) {
        Registers registers = StubCpuTest.atLeaf();
        long[] words = new long[16];
        StubCpuTest.stack().forEach((address, word) -> words[(int) (address - StubCpuTest.STACK) / 8] = word);
        return walker.walk(
                        StackSnapshot.of(registers, count -> words, words.length, 0, maxFrames),
                        frame -> walked.add(
                                frame instanceof Frame.Native found
                                        ? Long.toHexString(found.address())
                                        : frame.label()))
                .outcome();
    }

    @Test
    void managedFramesReplaceTheNativeFrameOfTheirEvaluator() throws Exception {
        Evaluator runtime = new Evaluator("inner", "outer");
        assertThat(walk(walker(runtime), 100)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(walked).containsExactly("1004", "inner", "outer", "1043", "1063");
        assertThat(runtime.asked).containsExactly(StubCpuTest.BIAS + StubCpuTest.MIDDLE + 4);
    }

    @Test
    void nativeFrameIsReportedWhereTheRuntimeHasNoFrame() throws Exception {
        assertThat(walk(walker(new Evaluator()), 100)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(walked).containsExactly("1004", "1023", "1043", "1063");
    }

    @Test
    void managedFramesCountTowardsTheLimit() throws Exception {
        assertThat(walk(walker(new Evaluator("a", "b", "c")), 3)).isEqualTo(WalkOutcome.TRUNCATED);
        assertThat(walked).containsExactly("1004", "a", "b");
    }

    @Test
    void evaluatorReceivesTheBoundsOfItsFrame() throws Exception {
        Evaluator runtime = new Evaluator("managed");
        walk(walker(runtime), 100);
        assertThat(runtime.bounds).containsExactly(new AddressRange(StubCpuTest.STACK, StubCpuTest.STACK + 32));
    }

    @Test
    void frameWithoutCallFrameInformationHasNoBounds() throws Exception {
        Evaluator runtime = new Evaluator("managed");
        runtime.function = StubCpuTest.OUTER;
        walk(walker(runtime), 100);
        assertThat(runtime.bounds).containsExactly(new AddressRange(StubCpuTest.STACK + 32, StubCpuTest.STACK + 32));
    }

    @Test
    void evaluatorThatIsLoadedLaterIsFoundInTheNextEpoch() throws Exception {
        Evaluator runtime = new Evaluator("managed");
        runtime.loaded = false;
        Walker walker = walker(runtime);
        walk(walker, 100);
        assertThat(walked).doesNotContain("managed");
        runtime.loaded = true;
        walker.newEpoch(1);
        walked.clear();
        walk(walker, 100);
        assertThat(walked).contains("managed");
    }
}
