package mayfly.unwind;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundedStackTest {
    private static final int MOST = 8;

    private static List<Integer> kept(BoundedStack<Integer> stack, int frames) {
        stack.clear();
        for (int i = 0; i < frames; i++) {
            stack.add(i);
        }
        stack.close(-1);
        return Arrays.asList(stack.frames()).subList(0, stack.size());
    }

    @Test
    void stackWithinTheLimitIsComplete() {
        BoundedStack<Integer> stack = new BoundedStack<>(new Integer[1], MOST);
        for (int frames : new int[] {0, 1, 7, 8}) {
            List<Integer> all = new ArrayList<>();
            for (int i = 0; i < frames; i++) {
                all.add(i);
            }
            assertThat(kept(stack, frames)).isEqualTo(all);
            assertThat(stack.omitted()).isZero();
        }
    }

    @Test
    void keepFirstKeepsTheFramesNextToTheLeaf() {
        BoundedStack<Integer> stack = new BoundedStack<>(new Integer[1], MOST);
        for (int frames : new int[] {3, 8, 1000}) {
            stack.clear();
            for (int i = 0; i < frames; i++) {
                stack.add(i);
            }
            stack.keepFirst(3);
            stack.close(-1);
            assertThat(Arrays.asList(stack.frames()).subList(0, stack.size())).containsExactly(0, 1, 2);
            assertThat(stack.omitted()).isZero();
        }
    }

    @Test
    void skipIsMarkedBetweenLeafAndRoot() {
        BoundedStack<Integer> stack = new BoundedStack<>(new Integer[1], MOST);
        for (int frames : new int[] {4, 5, 8, 1000}) {
            stack.clear();
            for (int i = 0; i < frames; i++) {
                stack.add(i);
            }
            stack.skip();
            stack.add(-8);
            stack.add(-9);
            stack.close(-1);
            assertThat(Arrays.asList(stack.frames()).subList(0, stack.size())).containsExactly(0, 1, 2, 3, -1, -8, -9);
        }
        assertThat(kept(stack, 2)).as("after reuse").containsExactly(0, 1);
    }

    @Test
    void deeperStackKeepsItsLeafAndItsRoot() {
        BoundedStack<Integer> stack = new BoundedStack<>(new Integer[1], MOST);
        for (int frames : new int[] {9, 11, 12, 13, 1000}) {
            int last = frames - 1;
            assertThat(kept(stack, frames)).containsExactly(0, 1, 2, 3, -1, last - 3, last - 2, last - 1, last);
            assertThat(stack.omitted()).isEqualTo(frames - MOST);
        }
        assertThat(kept(stack, 2)).as("after reuse").containsExactly(0, 1);
    }
}
