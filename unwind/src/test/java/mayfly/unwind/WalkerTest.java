package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.profile.Frame;
import mayfly.profile.RuntimeId;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.Step;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The walker, with runtimes that a test scripts. */
class WalkerTest {
    private static final long SP = 0x7ffc_0000_0000L;
    private static final Memory NOTHING = (address, to, offset, length) -> {
        throw new MemoryFault(address, length);
    };

    /** The action of a runtime on one of its own frames. */
    @FunctionalInterface
    private interface Move {
        Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault;
    }

    /** A runtime that owns one MiB of code. */
    private static final class Scripted implements ManagedRuntime {
        private final int number;
        private final long from;
        private final Move move;
        final List<Long> asked = new ArrayList<>();
        long epoch;

        Scripted(int number, long from, Move move) {
            this.number = number;
            this.from = from;
            this.move = move;
        }

        @Override
        public RuntimeId id() {
            return new RuntimeId(number);
        }

        @Override
        public String version() {
            return "scripted";
        }

        @Override
        public String kind() {
            return "Scripted";
        }

        @Override
        public long libraryStart() {
            return from;
        }

        @Override
        public boolean owns(long pc) {
            return pc >= from && pc < from + (1 << 20);
        }

        @Override
        public boolean isLibrary(String path, long start) {
            return false;
        }

        @Override
        public Step step(FrameCursor cursor, FrameSink sink) {
            asked.add(cursor.registers().pc());
            sink.accept(new Frame.Stub(
                    id(), id() + "@" + Long.toHexString(cursor.registers().pc())));
            try {
                return move.step(cursor, sink);
            } catch (MemoryFault e) {
                return Step.STACK_UNREADABLE;
            }
        }

        @Override
        public void newEpoch(long nowNanos) {
            epoch = nowNanos;
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

    /** A process without mappings. */
    private static final class Empty implements TargetProcess {
        @Override
        public Architecture architecture() {
            return X86_64.ARCHITECTURE;
        }

        @Override
        public int pid() {
            return 1;
        }

        @Override
        public Memory memory() {
            return NOTHING;
        }

        @Override
        public List<Mapping> mappings() {
            return List.of();
        }

        @Override
        public List<TargetThread> threads() {
            return List.of();
        }

        @Override
        public MemorySegment file(Mapping mapping) throws IOException {
            throw new IOException("no files");
        }

        @Override
        public MemorySegment fileAt(String path) throws IOException {
            throw new IOException("no files");
        }

        @Override
        public void close() {}
    }

    private final List<String> frames = new ArrayList<>();
    private StackSnapshot.Words copy = count -> new long[0];
    private int copied;
    private long base;
    private boolean changed;
    private boolean wentBeyond;

    private static Walker walker(Scripted... runtimes) throws IOException {
        return new Walker(NOTHING, NOTHING, NativeCode.of(new Empty()), List.of(runtimes));
    }

    private WalkOutcome walk(Walker walker, long pc, int max) {
        Registers registers = new Registers(X86_64.ARCHITECTURE);
        registers.set(X86_64.RIP, pc);
        registers.set(X86_64.RSP, SP);
        WalkResult result = walker.walk(
                new StackSnapshot(registers, false, copy, copied, base, 99, max), frame -> frames.add(frame.label()));
        changed = result.changed();
        wentBeyond = result.wentBeyond();
        return result.outcome();
    }

    /** Sets the stack for later walks. */
    private void copied(long from, long... words) {
        copy = count -> words;
        copied = words.length;
        base = from;
    }

    private static Step up(FrameCursor cursor, long pc) {
        cursor.moveTo(pc, cursor.registers().sp() + 16);
        return Step.CALLER;
    }

    @Test
    void frameIsSteppedByTheRuntimeThatOwnsIt() throws Exception {
        Scripted one = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            assertThat(cursor.time()).isEqualTo(99);
            assertThat(cursor.top()).isEqualTo(cursor.registers().sp() == SP);
            return up(cursor, cursor.registers().pc() == 0x100_0000 ? 0x200_0008 : 0x200_0010);
        });
        Scripted two = new Scripted(
                2,
                0x200_0000,
                (cursor, sink) -> cursor.registers().pc() == 0x200_0008 ? up(cursor, 0x100_0004) : Step.ROOT);
        assertThat(walk(walker(one, two), 0x100_0000, 100)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(frames).containsExactly("r1@1000000", "r2@2000008", "r1@1000004", "r2@2000010");
        assertThat(one.asked).containsExactly(0x100_0000L, 0x100_0004L);
    }

    /** If two runtimes claim the same code, the first one is used. */
    @Test
    void frameOfTwoOwnersIsSteppedByTheFirst() throws Exception {
        Scripted one = new Scripted(1, 0x100_0000, (cursor, sink) -> Step.ROOT);
        Scripted two = new Scripted(2, 0x100_0000, (cursor, sink) -> Step.ROOT);
        walk(walker(one, two), 0x100_0000, 100);
        assertThat(frames).containsExactly("r1@1000000");
        assertThat(two.asked).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Step.class, mode = EnumSource.Mode.EXCLUDE, names = "CALLER")
    void everyFinalStepMapsToAnOutcome(Step step) throws Exception {
        Scripted runtime = new Scripted(1, 0x100_0000, (cursor, sink) -> step);
        WalkOutcome outcome = walk(walker(runtime), 0x100_0000, 100);
        assertThat(outcome).isEqualTo(step.end());
        assertThat(outcome.name()).isEqualTo(step == Step.ROOT ? "COMPLETE" : step.name());
        assertThat(frames).hasSize(1);
    }

    @Test
    void onlyStepCallerContinuesTheWalk() {
        assertThat(Step.CALLER.end()).isNull();
    }

    @Test
    void codeWithoutAnOwnerEndsTheWalk() throws Exception {
        assertThat(walk(walker(), 0x5000, 100)).isEqualTo(WalkOutcome.UNKNOWN_CODE);
        assertThat(frames).containsExactly("[unknown]");
        assertThat(walk(walker(), -1, 100)).isEqualTo(WalkOutcome.UNKNOWN_CODE);
        assertThat(walk(walker(), 0, 100).isBroken()).isTrue();
    }

    @Test
    void truncatedWalkKeepsTheFramesNextToTheLeaf() throws Exception {
        Scripted deep = new Scripted(
                1, 0x100_0000, (cursor, sink) -> up(cursor, cursor.registers().pc() + 1));
        assertThat(walk(walker(deep), 0x100_0000, 5)).isEqualTo(WalkOutcome.TRUNCATED);
        assertThat(frames).hasSize(5).startsWith("r1@1000000", "r1@1000001");
        assertThat(deep.asked)
                .as("the walk steps once beyond the limit, to detect that frames are missing")
                .hasSize(6);
    }

    @Test
    void walkWithExactlyTheLimitOfFramesIsComplete() throws Exception {
        Scripted five = new Scripted(
                1,
                0x100_0000,
                (cursor, sink) -> cursor.registers().pc() == 0x100_0004
                        ? Step.ROOT
                        : up(cursor, cursor.registers().pc() + 1));
        assertThat(walk(walker(five), 0x100_0000, 5)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(frames).hasSize(5);
    }

    /** One physical frame with many inlined ones. */
    @Test
    void inlinedFramesCountTowardsTheLimit() throws Exception {
        Scripted inlined = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            for (int i = 0; i < 10; i++) {
                sink.accept(new Frame.Stub(new RuntimeId(1), "inlined"));
            }
            return Step.ROOT;
        });
        assertThat(walk(walker(inlined), 0x100_0000, 4)).isEqualTo(WalkOutcome.TRUNCATED);
        assertThat(frames).hasSize(4);
    }

    @Test
    void decreasingStackPointerIsNoProgress() throws Exception {
        Scripted back = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.moveTo(0x100_0010, cursor.registers().sp() - 8);
            return Step.CALLER;
        });
        assertThat(walk(walker(back), 0x100_0000, 100)).isEqualTo(WalkOutcome.NO_PROGRESS);
    }

    @Test
    void unchangedStackPointerIsNoProgress() throws Exception {
        Scripted still = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.moveTo(0x100_0010, cursor.registers().sp());
            return Step.CALLER;
        });
        assertThat(walk(walker(still), 0x100_0000, 1000)).isEqualTo(WalkOutcome.NO_PROGRESS);
        assertThat(frames)
                .as("a leaf may have an empty frame, the next one may not")
                .hasSizeLessThanOrEqualTo(3);
    }

    /** A handler on a separate stack lies above the frame that it interrupted. */
    @Test
    void signalFrameMayContinueOnAnotherStack() throws Exception {
        Scripted handler = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            if (cursor.registers().pc() == 0x100_0000) {
                cursor.moveToInterrupted(0x100_0100, SP - 0x10_0000);
                return Step.CALLER;
            }
            assertThat(cursor.exact()).isTrue();
            assertThat(cursor.top()).isFalse();
            return Step.ROOT;
        });
        assertThat(walk(walker(handler), 0x100_0000, 100)).isEqualTo(WalkOutcome.COMPLETE);
        assertThat(frames).hasSize(2);
    }

    /** Two signal frames that interrupt each other in a cycle. */
    @Test
    void circularSignalFramesAreNoProgress() throws Exception {
        Scripted circle = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.moveToInterrupted(
                    cursor.registers().pc() ^ 16, SP + (cursor.registers().pc() & 16));
            return Step.CALLER;
        });
        assertThat(walk(walker(circle), 0x100_0000, Integer.MAX_VALUE)).isEqualTo(WalkOutcome.NO_PROGRESS);
    }

    /** A broken walk of a stack that has changed has the outcome STACK_CHANGED, whatever the step returned. */
    @Test
    void brokenWalkOfAChangedStackHasTheOutcomeStackChanged() throws Exception {
        Scripted reader = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.stackWord(SP);
            cursor.stackWord(SP + 64);
            return Step.ROOT;
        });
        Memory other = (address, to, offset, length) -> Arrays.fill(to, offset, offset + length, (byte) 7);
        Walker walker = new Walker(NOTHING, other, NativeCode.of(new Empty()), List.of(reader));
        copied(SP, 1, 2);
        assertThat(walk(walker, 0x100_0000, 100)).isEqualTo(WalkOutcome.STACK_CHANGED);
        assertThat(changed).isTrue();
        copied(SP + 4096, 1, 2);
        assertThat(walk(walker, 0x100_0000, 100)).isEqualTo(WalkOutcome.STACK_UNREADABLE);
    }

    /** A broken walk whose stack is unreadable by then has the outcome STACK_UNREADABLE, whatever the step returned. */
    @Test
    void unreadableStackIsNotReportedAsChanged() throws Exception {
        Scripted reader = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.stackWord(SP);
            assertThatThrownBy(() -> cursor.stackWord(SP + 64)).isInstanceOf(MemoryFault.class);
            return Step.BAD_INTERPRETER_FRAME;
        });
        Walker walker = walker(reader);
        copied(SP, 1, 2);
        assertThat(walk(walker, 0x100_0000, 100)).isEqualTo(WalkOutcome.STACK_UNREADABLE);
        assertThat(changed).isFalse();
    }

    /** If the live stack has not changed, the outcome is that of the step. */
    @Test
    void brokenWalkInUnchangedLiveMemoryKeepsItsReason() throws Exception {
        Memory same = (address, to, offset, length) -> Arrays.fill(to, offset, offset + length, (byte) 1);
        Scripted reader = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.stackWord(SP);
            assertThat(cursor.stackWord(SP + 64)).isEqualTo(0x0101_0101_0101_0101L);
            return Step.UNKNOWN_REGISTER;
        });
        Walker walker = new Walker(NOTHING, same, NativeCode.of(new Empty()), List.of(reader));
        copied(SP, 0x0101_0101_0101_0101L, 2);
        assertThat(walk(walker, 0x100_0000, 100)).isEqualTo(WalkOutcome.UNKNOWN_REGISTER);
        assertThat(wentBeyond).isTrue();
    }

    @Test
    void walkToTheRootThroughLiveMemoryIsUnproven() throws Exception {
        Memory same = (address, to, offset, length) -> Arrays.fill(to, offset, offset + length, (byte) 1);
        long[] above = {0};
        Scripted reader = new Scripted(1, 0x100_0000, (cursor, sink) -> {
            cursor.stackWord(SP + above[0]);
            return Step.ROOT;
        });
        Walker walker = new Walker(NOTHING, same, NativeCode.of(new Empty()), List.of(reader));
        copied(SP, 1, 2);
        assertThat(walk(walker, 0x100_0000, 100)).isEqualTo(WalkOutcome.COMPLETE);
        above[0] = 64;
        copied(SP, 1, 2);
        assertThat(walk(walker, 0x100_0000, 100)).isEqualTo(WalkOutcome.UNPROVEN);
    }

    @Test
    void everyRuntimeReceivesNewEpochs() throws Exception {
        Scripted one = new Scripted(1, 0x100_0000, (cursor, sink) -> Step.ROOT);
        Scripted two = new Scripted(2, 0x200_0000, (cursor, sink) -> Step.ROOT);
        walker(one, two).newEpoch(77);
        assertThat(one.epoch).isEqualTo(77);
        assertThat(two.epoch).isEqualTo(77);
    }
}
