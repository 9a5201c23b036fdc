package mayfly.profile.capture.records;

import static mayfly.profile.capture.records.CaptureFormat.MAX_STACK_DEPTH;

import mayfly.profile.Detail;
import mayfly.profile.capture.records.RecordCursor.BadRecord;
import mayfly.profile.column.IntColumn;
import mayfly.profile.column.PairTable;
import org.jspecify.annotations.Nullable;

/**
 * Reads the stacks of a capture. A file can contain the same stack under several ids, and a long recording has many
 * more ids than stacks. Equal stacks are merged, unless {@link Detail#EVERY_SAMPLE} requires each id.
 */
public final class StackRecords {
    private static final int NO_PARENT = -1;
    /** Upper bound on the ids kept in {@link #lastIds}. If a file refers to earlier ids, {@link #ids} is used. */
    private static final int MAX_LAST_IDS = 1 << 26;

    /** Pairs of a stack's parent and its frame. Null if each id is needed. */
    private final @Nullable PairTable distinct;
    /** The stack of each id in the file. Null if each id is needed, or if {@link #lastIds} is sufficient. */
    private final @Nullable IntColumn ids;
    /**
     * The stacks of the last ids, at the index of the id modulo the length, which is a power of two. Empty if not used.
     */
    private final int[] lastIds;

    private final IntColumn parents;
    private final IntColumn frames;
    private final IntColumn depths = new IntColumn();
    private int count = 1;

    /** @param reach as in {@code CaptureSummary}, or {@code CaptureReader.ANY_REACH} if it is unknown */
    public StackRecords(Detail detail, int reach) {
        boolean each = detail == Detail.EVERY_SAMPLE;
        lastIds = each || reach > MAX_LAST_IDS ? new int[0] : new int[Integer.highestOneBit(Math.max(reach, 1)) * 2];
        if (each) {
            distinct = null;
            ids = null;
            parents = new IntColumn();
            frames = new IntColumn();
            parents.add(0);
            frames.add(0);
        } else {
            distinct = new PairTable();
            ids = lastIds.length == 0 ? new IntColumn() : null;
            keep(distinct.number(NO_PARENT, 0), 0);
            parents = distinct.firsts();
            frames = distinct.seconds();
        }
        depths.add(0);
    }

    /**
     * Reads the next stack.
     *
     * @throws BadRecord if the record is malformed, if it refers to no such stack or frame, or if the stack is too deep
     *         or cannot be numbered
     */
    public void read(RecordCursor record, int frameCount) throws BadRecord {
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
        int id = count++;
        if (distinct == null) {
            parents.add(parent);
            frames.add(frame);
            depths.add(depth);
            return;
        }
        int stack = distinct.number(parent, frame);
        keep(stack, id);
        if (stack == depths.size()) {
            depths.add(depth);
        }
    }

    /** Returns the highest id in the file so far plus one. */
    public int count() {
        return count;
    }

    private void keep(int stack, int id) {
        if (ids == null) {
            lastIds[id & lastIds.length - 1] = stack;
        } else {
            ids.add(stack);
        }
    }

    /**
     * Returns the stack that has this id in the file.
     *
     * @throws BadRecord if the id is further back than the reach
     */
    public int stackOf(int id) throws BadRecord {
        if (distinct == null || id == 0) {
            return id;
        }
        if (ids != null) {
            return ids.get(id);
        }
        if (count - id > lastIds.length) {
            throw new BadRecord("stack " + id + " of " + count + " is further back than the given reach");
        }
        return lastIds[id & lastIds.length - 1];
    }

    public int depthOf(int stack) {
        return depths.get(stack);
    }

    /** Returns the caller's stack of each stack. The value for stack 0 is undefined. */
    public IntColumn parents() {
        return parents;
    }

    /** Returns the leaf-most frame of each stack. The value for stack 0 is undefined. */
    public IntColumn frames() {
        return frames;
    }
}
