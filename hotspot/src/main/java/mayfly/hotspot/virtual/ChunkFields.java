package mayfly.hotspot.virtual;

import java.util.List;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of the fields of jdk.internal.vm.StackChunk.
 *
 * @param bottom the field with the position after the last frame; null in early releases of JDK 21
 * @param arguments the field with the number of words after the last frame; null in later releases
 * @param lockStackSize the field with the number of words at the beginning of the stack that are the lock stack of the
 *     thread, which the VM adds since JDK 24; -1 if there is none
 * @param stack the offset of the first word of the stack
 */
record ChunkFields(
        int parent,
        int size,
        int sp,
        @Nullable Integer bottom,
        @Nullable Integer arguments,
        int lockStackSize,
        int stack) {
    /** The position of the field lockStackSize among those that the VM adds. JDK 26 has two more behind it. */
    private static final int LOCK_STACK_SIZE = 4;

    /**
     * Reads the fields of a chunk's class.
     *
     * @param layoutHelper the class's Klass::_layout_helper: the size of an instance without its stack, in bytes
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the class is another one than is expected
     */
    static ChunkFields of(HeapObjects objects, long chunk, int layoutHelper) throws MemoryFault, BadMetadata {
        Integer parent = objects.offset(chunk, "parent");
        Integer size = objects.offset(chunk, "size");
        Integer sp = objects.offset(chunk, "sp");
        Integer bottom = objects.offset(chunk, "bottom");
        Integer arguments = objects.offset(chunk, "argsize");
        if (parent == null || size == null || sp == null || bottom == null && arguments == null || layoutHelper <= 0) {
            throw new BadMetadata("a stack chunk without its fields");
        }
        List<Integer> injected = objects.injected(chunk);
        int lockStackSize = injected.size() > LOCK_STACK_SIZE ? injected.get(LOCK_STACK_SIZE) : -1;
        return new ChunkFields(parent, size, sp, bottom, arguments, lockStackSize, layoutHelper & ~7);
    }

    /**
     * Returns the position after the last frame of a chunk.
     *
     * @param words the size of its stack
     * @throws MemoryFault if the target's memory cannot be read
     */
    int end(JavaHeap heap, long chunk, int words) throws MemoryFault {
        if (bottom != null) {
            return heap.readInt(chunk + bottom);
        }
        return arguments == null ? words : words - heap.readInt(chunk + arguments);
    }
}
