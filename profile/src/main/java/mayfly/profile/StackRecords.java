package mayfly.profile;

import static mayfly.profile.CaptureFormat.MAX_STACK_DEPTH;

import mayfly.profile.RecordCursor.BadRecord;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of a capture as they are read. A file can have the same stack under several ids, which a long recording
 * makes many times as many as there are stacks: unless each id is wanted, equal stacks become one.
 */
final class StackRecords {
    private static final int NO_PARENT = -1;

    /** Pairs of a stack's parent and its frame. Null if each id is wanted. */
    private final @Nullable PairTable distinct;
    /** The stack of each id in the file. Null if each id is wanted. */
    private final @Nullable IntColumn ids;
    private final IntColumn parents;
    private final IntColumn frames;
    private final IntColumn depths = new IntColumn();
    private int count = 1;

    StackRecords(Detail detail) {
        if (detail == Detail.EVERY_SAMPLE) {
            distinct = null;
            ids = null;
            parents = new IntColumn();
            frames = new IntColumn();
            parents.add(0);
            frames.add(0);
        } else {
            distinct = new PairTable();
            ids = new IntColumn();
            ids.add(distinct.number(NO_PARENT, 0));
            parents = distinct.firsts();
            frames = distinct.seconds();
        }
        depths.add(0);
    }

    /** Reads the next stack. */
    void read(RecordCursor record, int frameCount) throws BadRecord {
        if (count == Integer.MAX_VALUE) {
            throw new BadRecord("more stacks than can be numbered");
        }
        int back = record.index("parent", count + 1);
        if (back == 0) {
            throw new BadRecord("a stack that is its own parent");
        }
        int parent = stackOf(count - back);
        int depth = depths.get(parent) + 1;
        if (depth > MAX_STACK_DEPTH) {
            throw new BadRecord("a stack of more than " + MAX_STACK_DEPTH + " frames");
        }
        int frame = record.index("frame", frameCount);
        count++;
        if (distinct == null || ids == null) {
            parents.add(parent);
            frames.add(frame);
            depths.add(depth);
            return;
        }
        int stack = distinct.number(parent, frame);
        ids.add(stack);
        if (stack == depths.size()) {
            depths.add(depth);
        }
    }

    /** One more than the highest id in the file so far. */
    int count() {
        return count;
    }

    /** The stack that has this id in the file. */
    int stackOf(int id) {
        return ids == null ? id : ids.get(id);
    }

    int depthOf(int stack) {
        return depths.get(stack);
    }

    /** The caller's stack of each stack. That of stack 0 means nothing. */
    IntColumn parents() {
        return parents;
    }

    /** The leaf-most frame of each stack. That of stack 0 means nothing. */
    IntColumn frames() {
        return frames;
    }
}
