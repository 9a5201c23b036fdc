package mayfly.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StackTableTest {
    @Test
    void stackTableAgreesWithAMapOfLists() {
        var random = new SplittableRandom(3);
        var table = new StackTable();
        var expected = new HashMap<List<Frame>, Integer>();
        for (int i = 0; i < 20_000; i++) {
            int stack = StackTable.NO_FRAMES;
            var frames = new ArrayList<Frame>();
            for (int depth = random.nextInt(1, 8); depth > 0; depth--) {
                Frame frame = new Frame.Stub(new RuntimeId(1), "s" + random.nextInt(40));
                frames.add(frame);
                stack = table.stack(stack, table.frame(frame));
            }
            assertThat(table.intern(frames.reversed().toArray(Frame[]::new), frames.size()))
                    .isEqualTo(stack);
            Integer before = expected.putIfAbsent(List.copyOf(frames), stack);
            assertThat(before == null || before == stack).isTrue();
        }
        expected.forEach((frames, id) -> {
            int at = id;
            for (Frame frame : frames.reversed()) {
                assertThat(table.frameAt(table.frameOf(at))).isEqualTo(frame);
                at = table.parentOf(at);
            }
            assertThat(at).isEqualTo(StackTable.NO_FRAMES);
        });
        assertThat(expected.values()).doesNotHaveDuplicates();
        assertThat(table.frameCount()).isEqualTo(40);
    }

    @Test
    void forgottenFramesAndStacksGetNewIds() {
        var table = new StackTable();
        Frame root = new Frame.Stub(new RuntimeId(1), "root");
        for (int i = 0; !table.isFull(); i++) {
            table.intern(new Frame[] {new Frame.Stub(new RuntimeId(1), "s" + i), root}, 2);
        }
        assertThat(table.frameCount()).isEqualTo(StackTable.MAX_FRAMES);
        int stacks = table.stackCount();
        table.forget();
        assertThat(table.isFull()).isFalse();
        assertThat(table.firstFrame()).isEqualTo(table.frameCount()).isEqualTo(StackTable.MAX_FRAMES);
        int stack = table.intern(new Frame[] {root}, 1);
        assertThat(stack).isEqualTo(stacks);
        assertThat(table.frameOf(stack)).isEqualTo(StackTable.MAX_FRAMES);
        assertThat(table.frameAt(StackTable.MAX_FRAMES)).isEqualTo(root);
        for (int i = 0; i < 20_000; i++) {
            Frame frame = new Frame.Stub(new RuntimeId(1), "s" + i);
            assertThat(table.frame(frame))
                    .isEqualTo(StackTable.MAX_FRAMES + 1 + i)
                    .isEqualTo(table.frame(frame));
        }
    }
}
