package mayfly.profile;

import java.util.Arrays;

/**
 * Assigns a small number to each distinct frame and each distinct stack. A stack is a node that consists of its
 * caller's stack and a frame. The table is used for each frame of each sample, so a known node costs a few array
 * look-ups and allocates nothing. Confined to one thread.
 *
 * <p>The stacks of a program that rarely repeats one would fill the memory. {@link #intern} therefore forgets all
 * stacks when their number reaches a limit. Their ids are not reused: a forgotten stack that occurs again gets a new
 * id. A program that generates classes continuously also has new frames continuously. The caller checks {@link #isFull}
 * and calls {@link #forget}, because it may still need the frames for their symbols.
 */
public final class StackTable {
    /** The stack without frames: the parent of every root-most frame. */
    public static final int NO_FRAMES = 0;

    /**
     * Upper bound on the frame objects in the table. At this size the table of objects is emptied. Callers usually pass
     * the same objects repeatedly, so the limit is rarely reached.
     */
    private static final int MAX_OBJECTS = 1 << 17;

    /**
     * Upper bound on the remembered stacks. A program with repeating stacks has fewer stacks. In other programs few
     * stacks occur again, so forgetting costs little.
     */
    public static final int MAX_STACKS = 1 << 17;

    /** The number of remembered frames at which the table is full. The code of most programs needs fewer. */
    public static final int MAX_FRAMES = 1 << 17;

    /** Hash table of frame objects by identity, with open addressing, at most half full. */
    private Frame[] objects = new Frame[1 << 13];

    private int[] objectIds = new int[1 << 13];
    private int objectCount;
    /** The remembered frames, from {@link #firstFrame} on. */
    private Frame[] frames = new Frame[1 << 12];

    private int[] hashes = new int[1 << 12];
    private int firstFrame;
    private int frameCount;
    /**
     * Hash table of frames by equality, with open addressing, at most half full: the index in {@link #frames} + 1, 0 if
     * the slot is empty.
     */
    private int[] frameSlots = new int[1 << 13];

    /**
     * The remembered stacks, from {@link #firstStack} on: the parent in the upper half, the frame in the lower half.
     */
    private long[] pairs = new long[1 << 13];

    private int firstStack = 1;
    private int stackCount = 1;
    /** Hash table of stacks with open addressing, at most half full: the stack's id, 0 if the slot is empty. */
    private int[] slots = new int[1 << 14];

    private int slotShift = Long.SIZE - 14;

    /**
     * The frames of the stack interned last, root first, and the id of the stack up to each frame. The next stack
     * usually begins with the same frames.
     */
    private Frame[] lastFrames = new Frame[128];

    private int[] lastStacks = new int[128];
    private int lastDepth;

    /**
     * Returns the id of the stack of these frames. Does not look up the frames at the root that the previous stack has
     * too. May forget all earlier stacks: {@link #parentOf} and {@link #frameOf} must then not be called with their
     * ids.
     *
     * @param leafFirst the frames in the order of a walk
     * @param count the number of frames in the array
     */
    public int intern(Frame[] leafFirst, int count) {
        if (stackCount - firstStack >= MAX_STACKS) {
            forgetStacks();
        }
        if (count > lastFrames.length) {
            int room = Math.max(count, lastFrames.length * 2);
            lastFrames = Arrays.copyOf(lastFrames, room);
            lastStacks = Arrays.copyOf(lastStacks, room);
        }
        int at = 0;
        int shared = Math.min(count, lastDepth);
        while (at < shared && lastFrames[at] == leafFirst[count - 1 - at]) {
            at++;
        }
        int stack = at == 0 ? NO_FRAMES : lastStacks[at - 1];
        for (; at < count; at++) {
            Frame frame = leafFirst[count - 1 - at];
            stack = stack(stack, frame(frame));
            lastFrames[at] = frame;
            lastStacks[at] = stack;
        }
        lastDepth = count;
        return stack;
    }

    /** Returns the frame's id: 0, 1, … in the order of first use. Equal frames share one. */
    public int frame(Frame frame) {
        Frame[] table = objects;
        int mask = table.length - 1;
        int at = slotOf(frame) & mask;
        while (true) {
            Frame known = table[at];
            if (known == frame) {
                return objectIds[at];
            }
            if (known == null) {
                return newObject(frame);
            }
            at = at + 1 & mask;
        }
    }

    private int newObject(Frame frame) {
        int id = equalFrame(frame);
        if (objectCount == MAX_OBJECTS) {
            objects = new Frame[objects.length];
            objectCount = 0;
        } else if (++objectCount * 2 > objects.length) {
            Frame[] oldObjects = objects;
            int[] oldIds = objectIds;
            objects = new Frame[oldObjects.length * 2];
            objectIds = new int[oldObjects.length * 2];
            for (int i = 0; i < oldObjects.length; i++) {
                if (oldObjects[i] != null) {
                    place(oldObjects[i], oldIds[i]);
                }
            }
        }
        place(frame, id);
        return id;
    }

    /** Returns the id of the equal frame in the table. Adds the frame if there is none. */
    private int equalFrame(Frame frame) {
        int hash = frame.hashCode() * 0x9E3779B9;
        int mask = frameSlots.length - 1;
        int at = hash >>> 8 & mask;
        while (frameSlots[at] != 0) {
            int index = frameSlots[at] - 1;
            if (hashes[index] == hash && frames[index].equals(frame)) {
                return firstFrame + index;
            }
            at = at + 1 & mask;
        }
        int index = frameCount - firstFrame;
        if (index == frames.length) {
            growFrames();
            return equalFrame(frame);
        }
        frameSlots[at] = index + 1;
        frames[index] = frame;
        hashes[index] = hash;
        return frameCount++;
    }

    private void growFrames() {
        int count = frames.length;
        frames = Arrays.copyOf(frames, count * 2);
        hashes = Arrays.copyOf(hashes, count * 2);
        frameSlots = new int[count * 4];
        int mask = frameSlots.length - 1;
        for (int index = 0; index < count; index++) {
            int at = hashes[index] >>> 8 & mask;
            while (frameSlots[at] != 0) {
                at = at + 1 & mask;
            }
            frameSlots[at] = index + 1;
        }
    }

    private void place(Frame frame, int id) {
        int mask = objects.length - 1;
        int at = slotOf(frame) & mask;
        while (objects[at] != null) {
            at = at + 1 & mask;
        }
        objects[at] = frame;
        objectIds[at] = id;
    }

    private static int slotOf(Frame frame) {
        int hash = System.identityHashCode(frame);
        return hash ^ hash >>> 16;
    }

    /**
     * Returns the id of the stack in which {@code parent} calls this frame: 1, 2, … in the order of first use.
     *
     * @throws IllegalArgumentException if there is no such stack or frame
     */
    public int stack(int parent, int frame) {
        long pair = (long) parent << 32 | frame;
        int mask = slots.length - 1;
        int at = slotOf(pair);
        while (slots[at] != 0) {
            if (pairs[slots[at] - firstStack] == pair) {
                return slots[at];
            }
            at = at + 1 & mask;
        }
        return newStack(parent, frame, at);
    }

    private int newStack(int parent, int frame, int at) {
        if (parent < 0 || parent >= stackCount || frame < firstFrame || frame >= frameCount) {
            throw new IllegalArgumentException("no stack " + parent + " or no frame " + frame);
        }
        int index = stackCount - firstStack;
        if (index == pairs.length) {
            pairs = Arrays.copyOf(pairs, index * 2);
        }
        pairs[index] = (long) parent << 32 | frame;
        slots[at] = stackCount;
        if (index * 2 >= slots.length) {
            rehash(index);
        }
        return stackCount++;
    }

    private void rehash(int last) {
        slots = new int[slots.length * 2];
        slotShift--;
        int mask = slots.length - 1;
        for (int index = 0; index <= last; index++) {
            int at = slotOf(pairs[index]);
            while (slots[at] != 0) {
                at = at + 1 & mask;
            }
            slots[at] = firstStack + index;
        }
    }

    private void forgetStacks() {
        Arrays.fill(slots, 0);
        firstStack = stackCount;
        lastDepth = 0;
    }

    /** Returns true if the table remembers so many frames that it should forget them. */
    public boolean isFull() {
        return frameCount - firstFrame >= MAX_FRAMES;
    }

    /**
     * Forgets all frames and stacks. Their ids must not be used in later calls, and are not reused: a forgotten frame
     * that occurs again gets a new id.
     */
    public void forget() {
        forgetStacks();
        Arrays.fill(lastFrames, null);
        objects = new Frame[1 << 13];
        objectIds = new int[1 << 13];
        objectCount = 0;
        frames = new Frame[1 << 12];
        hashes = new int[1 << 12];
        frameSlots = new int[1 << 13];
        firstFrame = frameCount;
    }

    /** Fibonacci hashing: ids are dense, so the high bits of the product are the well-distributed ones. */
    private int slotOf(long pair) {
        long mixed = (pair ^ pair >>> 29) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> slotShift);
    }

    /** Returns the lowest id of a remembered frame, or {@link #frameCount} if there is none. */
    public int firstFrame() {
        return firstFrame;
    }

    /** Returns the highest frame id plus one. */
    public int frameCount() {
        return frameCount;
    }

    public Frame frameAt(int id) {
        return frames[id - firstFrame];
    }

    /** Returns the highest stack id plus one. */
    public int stackCount() {
        return stackCount;
    }

    public int parentOf(int stack) {
        return (int) (pairs[stack - firstStack] >>> 32);
    }

    public int frameOf(int stack) {
        return (int) pairs[stack - firstStack];
    }
}
