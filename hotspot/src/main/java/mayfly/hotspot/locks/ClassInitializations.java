package mayfly.hotspot.locks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.FieldReader;
import mayfly.hotspot.threads.ThreadList;
import mayfly.hotspot.threads.ThreadStates;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.LockWait;

/**
 * Finds the class for whose initialization by another thread a thread waits: {@code InstanceKlass::initialize_impl}.
 *
 * <p>Since JDK 17 the thread has the class in {@code JavaThread::_class_to_be_initialized}, at an offset that no VM
 * describes. The class is therefore that one of all words of the JavaThread that is the address of an InstanceKlass
 * which another thread of the VM is initializing. Before, such a thread waits at a monitor of the VM's own, and the
 * address is on its stack, below its last Java frame.
 */
final class ClassInitializations {
    private static final List<VmField> NEEDS = List.of(
            VmField.THREAD_STATE,
            VmField.THREAD_STACK_BASE,
            VmField.THREAD_STACK_SIZE,
            VmField.INSTANCE_KLASS_INIT_STATE,
            VmField.INSTANCE_KLASS_INIT_THREAD,
            VmField.KLASS_JAVA_MIRROR,
            VmField.KLASS_NAME);
    /** The part of the stack that is searched: the frames from the last Java frame to initialize_impl, bytes. */
    private static final long STACK_SEARCHED = 4096;

    private static final long MIN_KLASS = 1 << 16;
    private static final long MAX_KLASS = 1L << 47;

    private final UncachedMemory memory;
    private final VmLayout layout;
    private final Methods methods;
    private final ThreadList threads;
    private final JavaHeap heap;

    ClassInitializations(VmReaders vm, ThreadList threads, JavaHeap heap) {
        this.memory = new UncachedMemory(vm.memory());
        this.layout = vm.layout();
        this.methods = vm.methods();
        this.threads = threads;
        this.heap = heap;
    }

    /**
     * Returns the class for whose initialization a thread waits, {@link LockWait#NONE} if there is none.
     *
     * @param isAtMonitor true if the thread waits at a monitor, although not in Object.wait
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    LockWait awaitedBy(long javaThread, boolean isAtMonitor) throws MemoryFault, BadMetadata {
        if (!layout.hasAll(NEEDS)
                || layout.beingInitialized < 0
                || !ThreadStates.isBlockedInVm(memory.readInt(javaThread + layout.at(VmField.THREAD_STATE)))) {
            return LockWait.NONE;
        }
        long klass = only(javaThread, words(javaThread, layout.javaThreadSize / Long.BYTES));
        if (klass == 0 && isAtMonitor) {
            long frame = lastJavaFrame(javaThread);
            klass = frame == 0 ? 0 : only(javaThread, words(frame - STACK_SEARCHED, (int) STACK_SEARCHED / Long.BYTES));
        }
        return klass == 0
                ? LockWait.NONE
                : new LockWait(
                        LockWait.Kind.INITIALIZATION,
                        methods.className(klass),
                        heap.root(memory.readLong(klass + layout.at(VmField.KLASS_JAVA_MIRROR))),
                        klass,
                        null);
    }

    /**
     * Returns the JavaThread that initializes a class, 0 if none does.
     *
     * @throws MemoryFault if the target's memory cannot be read
     */
    long initializing(long klass) throws MemoryFault {
        byte[] state = new byte[1];
        memory.read(klass + layout.at(VmField.INSTANCE_KLASS_INIT_STATE), state, 0, 1);
        return state[0] == layout.beingInitialized
                ? memory.readLong(klass + layout.at(VmField.INSTANCE_KLASS_INIT_THREAD))
                : 0;
    }

    /** Returns the stack pointer of the last Java frame; 0 if there is none on the thread's stack. */
    private long lastJavaFrame(long javaThread) throws MemoryFault {
        long frame =
                memory.readLong(javaThread + layout.at(VmField.THREAD_ANCHOR) + layout.at(VmField.ANCHOR_LAST_JAVA_SP));
        long base = memory.readLong(javaThread + layout.at(VmField.THREAD_STACK_BASE));
        long size = memory.readLong(javaThread + layout.at(VmField.THREAD_STACK_SIZE));
        boolean isOnStack = Long.compareUnsigned(base - frame, size) <= 0 && frame % Long.BYTES == 0;
        return isOnStack && Long.compareUnsigned(frame, STACK_SEARCHED) > 0 ? frame : 0;
    }

    /** Returns the distinct words from an address on that can be addresses of classes, without unreadable ones. */
    private long[] words(long from, int count) {
        long[] places = new long[count];
        for (int i = 0; i < count; i++) {
            places[i] = from + (long) Long.BYTES * i;
        }
        LongStream.Builder found = LongStream.builder();
        new FieldReader(memory, 0).read(places, (index, words, at) -> {
            long word = words[at];
            if ((word & Long.BYTES - 1) == 0 && word >= MIN_KLASS && word < MAX_KLASS) {
                found.add(word);
            }
        });
        return found.build().distinct().toArray();
    }

    /** Returns the only class among the words that another thread initializes; 0 if there are none, or several. */
    private long only(long javaThread, long[] words) throws MemoryFault {
        LongStream.Builder others = LongStream.builder();
        new FieldReader(memory, layout.at(VmField.INSTANCE_KLASS_INIT_THREAD)).read(words, (index, fields, at) -> {
            if (fields[at] != 0 && fields[at] != javaThread) {
                others.add(words[index]);
            }
        });
        long[] candidates = others.build().toArray();
        long[] all = candidates.length == 0 ? candidates : threads.addresses();
        Arrays.sort(all);
        long only = 0;
        for (long candidate : candidates) {
            if (Arrays.binarySearch(all, initializing(candidate)) >= 0) {
                if (only != 0) {
                    return 0;
                }
                only = candidate;
            }
        }
        return only;
    }
}
