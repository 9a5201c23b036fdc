package mayfly.hotspot.frames.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import mayfly.hotspot.ForgedVm;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.ForgedNmethod;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.frames.FrozenFrames;
import mayfly.profile.Frame;
import mayfly.runtime.Step;
import org.junit.jupiter.api.Test;

/** Frozen frames whose words a test writes. The position of a word in the chunk is its index. */
class ChunkWalkTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CALL = 24;
    private static final int FRAME_WORDS = 4;
    private static final int CODE_SIZE = 8;
    private static final int BCI = 3;

    private final ForgedVm vm = ForgedVm.jdk25();
    private final long method = vm.method("a/Interpreted", "run", "()V", CODE_SIZE);
    private final long callee = compiled("a/Callee");
    private final long caller = compiled("a/Caller");

    /** Returns the return address in a compiled method whose frame has four words. */
    private long compiled(String type) {
        byte[] instructions = new byte[64];
        instructions[CALL - 5] = (byte) 0xe8;
        ForgedNmethod spec = new ForgedNmethod(vm.method(type, "run", "()V", CODE_SIZE)).instructions(instructions);
        spec.frameWords = FRAME_WORDS;
        spec.frameComplete = -1;
        spec.pc(CALL, spec.scope(1, 0, spec.metadata(spec.method), 1));
        return vm.nmethod(spec).codeBegin() + CALL;
    }

    private static Step walk(HotSpot open, long[] words, int end, List<String> frames) {
        return open.code().frozen(new FrozenFrames(words, 0, 2, end), 2 * SECOND, frame -> frames.add(frame.label()));
    }

    private Step walk(long[] words, int end, List<String> frames) throws Exception {
        return walk(vm.open(), words, end, frames);
    }

    /** Returns two compiled frames: the return address of each is below its stack pointer, 2 and 6. */
    private long[] compiledFrames() {
        long[] words = new long[10];
        words[1] = callee;
        words[5] = caller;
        return words;
    }

    /** Writes an interpreter frame whose stack pointer is 2 and whose rbp is 14, as the last one. */
    private long[] interpretedFrame(HotSpot open) {
        Method known = open.code().methodOrNull(method);
        assertThat(known).isNotNull();
        long[] words = new long[18];
        words[0] = 14;
        words[1] = vm.codelet(5) + 8;
        words[14 - 1] = 4;
        words[14 - 3] = method;
        words[14 - 7] = 3;
        words[14 - 8] = known.codeBegin + BCI;
        return words;
    }

    @Test
    void compiledFramesAreReportedUpToTheEnd() throws Exception {
        List<String> frames = new ArrayList<>();
        assertThat(walk(compiledFrames(), 10, frames)).isEqualTo(Step.ROOT);
        assertThat(frames).containsExactly("a.Callee.run", "a.Caller.run");
    }

    @Test
    void interpretedFrameHasItsMethodAndBytecodeIndex() throws Exception {
        HotSpot open = vm.open();
        List<Frame> frames = new ArrayList<>();
        FrozenFrames chunk = new FrozenFrames(interpretedFrame(open), 0, 2, 18);
        assertThat(open.code().frozen(chunk, 2 * SECOND, frames::add)).isEqualTo(Step.ROOT);
        assertThat(frames).singleElement().isInstanceOfSatisfying(Frame.Managed.class, frame -> {
            assertThat(frame.label()).isEqualTo("a.Interpreted.run");
            assertThat(frame.position()).isEqualTo(BCI);
        });
    }

    /** The caller's frame begins where the interpreted callee says, and its return address is above rbp. */
    @Test
    void compiledCallerOfAnInterpretedFrameIsFound() throws Exception {
        HotSpot open = vm.open();
        long[] words = Arrays.copyOf(interpretedFrame(open), 24);
        words[15] = caller;
        List<String> frames = new ArrayList<>();
        assertThat(walk(open, words, 22, frames)).isEqualTo(Step.ROOT);
        assertThat(frames).containsExactly("a.Interpreted.run", "a.Caller.run");
    }

    @Test
    void wordThatIsNoReturnAddressEndsTheWalk() throws Exception {
        long[] words = compiledFrames();
        words[5] = 0x1234;
        List<String> frames = new ArrayList<>();
        assertThat(walk(words, 10, frames)).isNotIn(Step.ROOT, Step.CALLER);
        assertThat(frames).containsExactly("a.Callee.run");
    }

    @Test
    void framesOutsideTheCopyEndTheWalk() throws Exception {
        assertThat(walk(new long[] {0, callee, 0}, 10, new ArrayList<>())).isEqualTo(Step.BAD_METADATA);
    }

    @Test
    void impossibleDistancesOfAnInterpretedFrameEndTheWalk() throws Exception {
        HotSpot open = vm.open();
        for (int at : new int[] {0, 14 - 1, 14 - 7}) {
            for (long distance : new long[] {-20, 1_000, Integer.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE}) {
                long[] words = interpretedFrame(open);
                words[at] = distance;
                assertThat(walk(open, words, 18, new ArrayList<>()))
                        .as("%d at %d", distance, at)
                        .isNotIn(Step.ROOT, Step.CALLER);
            }
        }
    }

    /** Half of the words are code addresses and small distances, so that walks proceed. */
    @Test
    void arbitraryWordsEndTheWalkWithAnOutcome() throws Exception {
        HotSpot open = vm.open();
        Random random = new Random(1);
        long[] likely = {callee, caller, vm.codelet(5) + 8, method, 1, 2, 4, 14};
        for (int i = 0; i < 20_000; i++) {
            long[] words = new long[2 + random.nextInt(60)];
            for (int at = 0; at < words.length; at++) {
                words[at] = random.nextBoolean() ? likely[random.nextInt(likely.length)] : random.nextLong();
            }
            assertThat(walk(open, words, random.nextInt(words.length + 8), new ArrayList<>()))
                    .isNotIn(Step.CALLER);
        }
    }
}
