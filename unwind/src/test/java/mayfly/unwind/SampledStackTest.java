package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import mayfly.arch.x86.X86_64;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.junit.jupiter.api.Test;

class SampledStackTest {
    private static final long BASE = 0x7ffc_0000_1000L;
    private static final int COPIED = 16;
    private static final int ALL = 512; // up to the end of its page

    private final ByteBuffer now = ByteBuffer.allocate(ALL * 8).order(ByteOrder.LITTLE_ENDIAN);
    private final Memory live = (address, to, offset, length) -> {
        long at = address - BASE;
        if (at < 0 || at > ALL * 8 - length) {
            throw new MemoryFault(address, length);
        }
        now.get((int) at, to, offset, length);
    };

    private SampledStack sampled() {
        new Random(4).ints(ALL * 2).forEach(now::putInt);
        long[] copy = new long[COPIED + 4]; // a reused buffer is longer than this sample
        for (int i = 0; i < COPIED; i++) {
            copy[i] = now.getLong(i * 8);
        }
        SampledStack stack = new SampledStack(live, X86_64.ARCHITECTURE.pageSize());
        stack.reset(words -> copy, COPIED, BASE);
        return stack;
    }

    @Test
    void theCopyIsReadAtAnyAlignment() throws Exception {
        SampledStack stack = sampled();
        for (int at = 0; at <= COPIED * 8 - 8; at++) {
            long word = now.getLong(at);
            assertThat(stack.readLong(BASE + at)).isEqualTo(word);
        }
        assertThat(stack.continuedLive()).isFalse();
        byte[] bytes = new byte[13];
        stack.read(BASE + 3, bytes, 2, 11);
        for (int i = 0; i < 11; i++) {
            assertThat(bytes[i + 2]).isEqualTo(now.get(3 + i));
        }
        assertThat(stack.readInt(BASE + 5)).isEqualTo(now.getInt(5));
    }

    /** Reads the words as they were at the time of the sample, not the current ones. */
    @Test
    void copyIsIndependentOfTheLiveStack() throws Exception {
        SampledStack stack = sampled();
        long then = now.getLong(8);
        now.putLong(8, ~then);
        assertThat(stack.readLong(BASE + 8)).isEqualTo(then);
    }

    @Test
    void addressBelowTheStackPointerIsAFault() {
        SampledStack stack = sampled();
        for (long address : new long[] {BASE - 1, BASE - 8, 0, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> stack.readLong(address)).isInstanceOf(MemoryFault.class);
        }
        assertThat(stack.changed()).isFalse();
    }

    @Test
    void unchangedStackContinuesInLiveMemory() throws Exception {
        SampledStack stack = sampled();
        stack.readLong(BASE + 8 * (COPIED - 2));
        assertThat(stack.readLong(BASE + 8 * COPIED)).isEqualTo(now.getLong(8 * COPIED));
        assertThat(stack.continuedLive()).isTrue();
        assertThat(stack.changed()).isFalse();
        assertThat(stack.readLong(BASE + 8 * (ALL - 1))).isEqualTo(now.getLong(8 * (ALL - 1)));
        for (int beyond = 0; beyond <= 8; beyond++) {
            long address = BASE + 8 * ALL - beyond;
            if (beyond < 8) {
                assertThatThrownBy(() -> stack.readLong(address)).isInstanceOf(MemoryFault.class);
            } else {
                assertThat(stack.readLong(address)).isEqualTo(now.getLong(8 * ALL - beyond));
            }
        }
    }

    @Test
    void theLiveStackIsReadAtAnyAlignment() throws Exception {
        SampledStack stack = sampled();
        for (int at = COPIED * 8; at <= ALL * 8 - 8; at++) {
            assertThat(stack.readLong(BASE + at)).as("%d", at).isEqualTo(now.getLong(at));
        }
    }

    /** The copy is requested in pieces, and never beyond its end. */
    @Test
    void onlyTheNeededPartOfTheCopyIsTaken() throws Exception {
        int total = 5000;
        long[] copy = new long[total];
        for (int i = 0; i < total; i++) {
            copy[i] = i;
        }
        int[] wanted = {0};
        SampledStack stack = new SampledStack(live, X86_64.ARCHITECTURE.pageSize());
        stack.reset(
                words -> {
                    wanted[0] = words;
                    return java.util.Arrays.copyOf(copy, words);
                },
                total,
                BASE);
        assertThat(stack.readLong(BASE)).isZero();
        assertThat(wanted[0]).isLessThan(total);
        for (int i = 0; i < total; i++) {
            assertThat(stack.readLong(BASE + 8L * i)).isEqualTo(i);
        }
        assertThat(wanted[0]).isEqualTo(total);
    }

    /** The first bytes of the word are in the copy, the others are not. */
    @Test
    void wordAcrossTheEdgeOfTheCopyIsRead() throws Exception {
        SampledStack stack = sampled();
        for (int at = COPIED * 8 - 7; at < COPIED * 8; at++) {
            assertThat(stack.readLong(BASE + at)).isEqualTo(now.getLong(at));
        }
        assertThat(stack.continuedLive()).isTrue();
    }

    /** The frames of a recursion can have equal words where the walk reads, and differ elsewhere. */
    @Test
    void changeOfAWordThatWasNotReadEndsTheWalk() throws Exception {
        SampledStack stack = sampled();
        stack.readLong(BASE + 8 * (COPIED - 2));
        now.putLong(8 * (COPIED - 4), 1234);
        assertThatThrownBy(() -> stack.readLong(BASE + 8 * COPIED)).isInstanceOf(MemoryFault.class);
        assertThat(stack.changed()).isTrue();
    }

    /** The leaf and its callers write to their own frames. */
    @Test
    void changeNextToTheStackPointerIsAllowed() throws Exception {
        SampledStack stack = sampled();
        stack.readLong(BASE + 8 * (COPIED - 2));
        now.putLong(8, 1234);
        stack.readLong(BASE + 8 * COPIED);
        assertThat(stack.changed()).isFalse();
    }

    @Test
    void changeBetweenTwoLiveReadsIsDetected() throws Exception {
        ByteBuffer memory = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        SampledStack stack = new SampledStack(
                (address, to, offset, length) -> {
                    if (address < BASE || address - BASE > memory.capacity() - length) {
                        throw new MemoryFault(address, length);
                    }
                    memory.get((int) (address - BASE), to, offset, length);
                },
                X86_64.ARCHITECTURE.pageSize());
        stack.reset(words -> new long[COPIED + 1], COPIED, BASE);
        stack.readLong(BASE + 8 * (COPIED - 2));
        assertThat(stack.readLong(BASE + 8 * COPIED)).isZero();
        memory.putLong(8 * (COPIED - 2), 1234);
        assertThatThrownBy(() -> stack.readLong(BASE + (1 << 19))).isInstanceOf(MemoryFault.class);
        assertThat(stack.changed()).isTrue();
        assertThatThrownBy(() -> stack.readLong(BASE + 8 * COPIED)).isInstanceOf(MemoryFault.class);
    }

    @Test
    void changeOfAWordThatWasReadEndsTheWalk() throws Exception {
        SampledStack stack = sampled();
        stack.readLong(BASE + 8 * (COPIED - 2));
        now.putLong(8 * (COPIED - 2), 1234);
        assertThatThrownBy(() -> stack.readLong(BASE + 8 * COPIED)).isInstanceOf(MemoryFault.class);
        assertThat(stack.changed()).isTrue();
        assertThat(stack.continuedLive()).isFalse();
        stack.reset(words -> new long[] {7}, 1, BASE);
        assertThat(stack.changed()).isFalse();
        assertThat(stack.readLong(BASE)).isEqualTo(7);
    }

    /** The saved words above the copy take precedence over the current memory; the live stack begins after them. */
    @Test
    void savedPagesAreUsedBeforeTheLiveStack() throws Exception {
        sampled();
        Saved saved = new Saved(now.duplicate(), BASE + 8 * COPIED, BASE + 8 * (COPIED + 8));
        SampledStack stack = new SampledStack(live, X86_64.ARCHITECTURE.pageSize());
        stack.reset(saved, COPIED, BASE);
        for (int at = COPIED * 8; at <= (COPIED + 7) * 8; at++) {
            assertThat(stack.readLong(BASE + at)).as("%d", at).isEqualTo(saved.then.getLong(at));
        }
        now.putLong(8 * COPIED, ~now.getLong(8 * COPIED));
        assertThat(stack.readLong(BASE + 8 * COPIED)).isEqualTo(saved.then.getLong(8 * COPIED));
        assertThat(stack.wentBeyond()).isFalse();
        assertThat(stack.continuedLive()).isFalse();

        // The most recently read words are saved ones, and one of them has changed.
        assertThatThrownBy(() -> stack.readLong(BASE + 8 * (COPIED + 8))).isInstanceOf(MemoryFault.class);
        assertThat(stack.changed()).isTrue();
        now.putLong(8 * COPIED, ~now.getLong(8 * COPIED));
        stack.reset(saved, COPIED, BASE);
        stack.readLong(BASE + 8 * (COPIED + 7));
        assertThat(stack.readLong(BASE + 8 * (COPIED + 8))).isEqualTo(now.getLong(8 * (COPIED + 8)));
        assertThat(stack.continuedLive()).isTrue();
    }

    /** The complete stack, of which a part is the copy and a part was saved. */
    private static final class Saved implements StackSnapshot.Words {
        private final ByteBuffer then;
        private final long from;
        private final long to;

        Saved(ByteBuffer words, long from, long to) {
            then = ByteBuffer.allocate(words.capacity())
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .put(words.clear());
            this.from = from;
            this.to = to;
        }

        @Override
        public long[] atLeast(int count) {
            long[] copy = new long[count + 1];
            then.clear();
            then.asLongBuffer().get(copy);
            return copy;
        }

        @Override
        public boolean hasSaved(long address) {
            assertThat(address & 7).isZero();
            return address >= from && address < to;
        }

        @Override
        public long saved(long address) {
            assertThat(hasSaved(address)).isTrue();
            return then.getLong((int) (address - BASE));
        }
    }

    /** A stack pointer may have any value. */
    @Test
    void copyAtAnUnalignedStackPointerIsRead() throws Exception {
        sampled();
        long[] copy = new long[COPIED + 1];
        for (int i = 0; i <= COPIED; i++) {
            copy[i] = now.getLong(4 + i * 8);
        }
        SampledStack stack = new SampledStack(live, X86_64.ARCHITECTURE.pageSize());
        stack.reset(words -> copy, COPIED, BASE + 4);
        assertThat(stack.readLong(BASE + 4)).isEqualTo(now.getLong(4));
        assertThat(stack.readLong(BASE + 4 + 8 * COPIED)).isEqualTo(now.getLong(4 + 8 * COPIED));
        assertThat(stack.continuedLive()).isTrue();
    }

    /** The stack of a thread that has ended can be unmapped. No word of it differs. */
    @Test
    void unreadableLiveStackHasNotChanged() throws Exception {
        SampledStack stack = new SampledStack(
                (address, to, offset, length) -> {
                    throw new MemoryFault(address, length);
                },
                X86_64.ARCHITECTURE.pageSize());
        stack.reset(words -> new long[] {1, 2}, 2, BASE);
        stack.readLong(BASE + 8);
        assertThatThrownBy(() -> stack.readLong(BASE + 16)).isInstanceOf(MemoryFault.class);
        assertThat(stack.changed()).isFalse();
        assertThat(stack.vanished()).isTrue();
        assertThat(stack.wentBeyond()).isTrue();
        stack.reset(words -> new long[] {1, 2}, 2, BASE);
        assertThat(stack.vanished()).isFalse();
    }

    /** Nothing shows that the words beyond the copy belong to the sample. */
    @Test
    void liveStackBeyondAnUnreadableCopyIsNotUsed() throws Exception {
        boolean[] readable = {false};
        SampledStack stack = new SampledStack(
                (address, to, offset, length) -> {
                    if (address < BASE + 4096 && !readable[0]) {
                        throw new MemoryFault(address, length);
                    }
                },
                X86_64.ARCHITECTURE.pageSize());
        stack.reset(words -> new long[512], 512, BASE);
        stack.readLong(BASE + 4088);
        assertThatThrownBy(() -> stack.readLong(BASE + 4096)).isInstanceOf(MemoryFault.class);
        readable[0] = true;
        assertThatThrownBy(() -> stack.readLong(BASE + 4096)).isInstanceOf(MemoryFault.class);
        assertThat(stack.changed()).isFalse();
        assertThat(stack.continuedLive()).isFalse();
        stack.reset(words -> new long[512], 512, BASE);
        stack.readLong(BASE + 4088);
        assertThat(stack.readLong(BASE + 4096)).isZero();
    }

    /** The page at the stack pointer was never accessed: a function with a large frame has just been entered. */
    @Test
    void savedPagesAreReadWithoutACopy() throws Exception {
        SampledStack stack = new SampledStack(live, X86_64.ARCHITECTURE.pageSize());
        stack.reset(
                new StackSnapshot.Words() {
                    @Override
                    public long[] atLeast(int count) {
                        return new long[0];
                    }

                    @Override
                    public boolean hasSaved(long address) {
                        return address == BASE + 4096;
                    }

                    @Override
                    public long saved(long address) {
                        return 77;
                    }
                },
                0,
                BASE);
        assertThatThrownBy(() -> stack.readLong(BASE + 8)).isInstanceOf(MemoryFault.class);
        assertThat(stack.readLong(BASE + 4096)).isEqualTo(77);
        assertThat(stack.continuedLive()).isFalse();
    }

    @Test
    void everyReadWithoutACopyIsAFault() {
        SampledStack stack = new SampledStack(live, X86_64.ARCHITECTURE.pageSize());
        assertThatThrownBy(() -> stack.readLong(BASE)).isInstanceOf(MemoryFault.class);
        stack.reset(words -> new long[8], 0, BASE);
        assertThatThrownBy(() -> stack.readLong(BASE)).isInstanceOf(MemoryFault.class);
        assertThatThrownBy(() -> stack.readLong(BASE + 8)).isInstanceOf(MemoryFault.class);
        assertThat(stack.continuedLive()).isFalse();
    }
}
