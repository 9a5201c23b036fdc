package mayfly.hotspot.virtual;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.frames.FrozenFrames;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.InstanceFields;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.heap.JavaStrings;
import mayfly.hotspot.inventory.ClassGraph;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.MemoryFault;
import mayfly.process.RetainedMemory;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;
import mayfly.runtime.Step;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.UnmountedThread;
import mayfly.runtime.thread.UnmountedThread.Awaited;
import mayfly.runtime.thread.UnmountedThreads;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/**
 * The virtual threads of a VM that are not mounted. Their objects are copied while all threads are stopped, and their
 * frames are named afterwards.
 */
public final class VirtualThreads implements UnmountedThreads {
    private static final List<VmField> NEEDS = List.of(
            VmField.THREAD_OBJECT,
            VmField.STRING_KLASS,
            VmField.KLASS_SUPER,
            VmField.KLASS_JAVA_MIRROR,
            VmField.KLASS_LAYOUT_HELPER);
    private static final Set<String> CLASSES =
            Set.of(ThreadContainers.CONTAINERS, ThreadContainers.ROOT, ThreadContainers.COUNTING_ROOT);
    /** Upper bounds on the length of a name, and of all names together, in chars. */
    private static final int MAX_NAME = 1024;

    private static final int MAX_TEXT = 32 << 20;
    /** Upper bound on the words of one chunk; the JVM makes larger ones only for frames that need them. */
    private static final int MAX_CHUNK_WORDS = 1 << 23;

    /** Upper bound on the chunks of all threads together. */
    private static final int MAX_CHUNKS = 4_000_000;
    /** Upper bound on the frames of one thread. */
    private static final int MAX_FRAMES = 65_536;

    /** Upper bound on the entries of a lock stack; LockStack::CAPACITY is 8. */
    private static final int MAX_LOCK_STACK = 64;
    /** The words below the stack pointer of the leaf frame: its return address and the saved frame pointer. */
    private static final int BELOW_SP = 2;

    private static final long WARM_UP_NANOS = 2_000_000_000;

    private final VmReaders vm;
    private final GeneratedCode code;
    private final RetainedMemory memory;
    private final Map<String, Long> classes;
    /** The heap at the moment of each call, with the state of collections. */
    private final JavaHeap now;

    private final JavaHeap heap;
    private final HeapObjects objects;
    private final JavaStrings strings;
    private final Map<Long, @Nullable VirtualThreadFields> threadClasses = new HashMap<>();
    private final Map<Long, ChunkFields> chunkClasses = new HashMap<>();
    private final Map<Long, Integer> tails = new HashMap<>();
    private final List<Copy> copies = new ArrayList<>();
    /** The objects on the lock stacks of the threads, with the ids of these. */
    private final Map<Long, Long> entered = new HashMap<>();

    private final Map<Unread, Integer> unread = new EnumMap<>(Unread.class);
    private @Nullable Unread problem;
    private int mounted;
    private int text;
    private int chunkCount;
    private long time;

    /** A chunk of a thread: the address of its stack, the position of the leaf frame, and that after the last one. */
    private record Chunk(long stack, int sp, int end) {}

    private record Copy(String name, long id, ManagedThreadState state, List<Chunk> chunks, Awaited awaited) {}

    private VirtualThreads(VmReaders vm, GeneratedCode code, JavaHeap now, Map<String, Long> classes, long maxBytes)
            throws MemoryFault, BadMetadata, Unreadable {
        this.vm = vm;
        this.code = code;
        this.now = now;
        this.classes = classes;
        this.memory = new RetainedMemory(vm.memory(), maxBytes);
        this.heap = new JavaHeap(vm.memory(), memory, vm.layout(), vm.referenceShifts());
        this.objects = new HeapObjects(vm, heap);
        InstanceFields string = new InstanceFields(
                vm.memory(),
                vm.layout(),
                vm.rules(),
                vm.memory().readLong(vm.layout().at(VmField.STRING_KLASS)));
        this.strings = new JavaStrings(heap, string, MAX_NAME);
    }

    /**
     * Prepares a reading: finds the classes that have the lists of threads.
     *
     * @param maxBytes upper bound on the bytes that are copied
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if the VM does not describe what is needed; the exception has the reason
     */
    public static VirtualThreads prepare(VmReaders vm, GeneratedCode code, long maxBytes)
            throws MemoryFault, BadMetadata, Unreadable {
        if (!vm.layout().hasAll(NEEDS)
                || !vm.layout().hasAll(ClassGraph.NEEDS)
                || !InstanceFields.isDescribed(vm.layout())) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
        JavaHeap now = new JavaHeap(vm.memory(), vm.layout(), vm.referenceShifts());
        Map<String, Long> classes = ClassGraph.klasses(vm.memory(), vm.layout(), vm.methods(), now, CLASSES);
        return new VirtualThreads(vm, code, now, classes, maxBytes);
    }

    /**
     * The first copy of many threads takes several times as long as the next one: the code is not compiled, and the
     * kernel has to provide the memory for it.
     */
    @Override
    public void warmUp() {
        copy(System.nanoTime() + WARM_UP_NANOS);
    }

    @Override
    public Copied copy(long deadlineNanos) {
        begin();
        try {
            long before = now.collections();
            if (before == JavaHeap.COLLECTING) {
                return Copied.MOVING;
            }
            Unread failure = failureOf(new Budget(deadlineNanos));
            // A thread that cannot be stopped may have begun a collection meanwhile.
            if (now.collections() != before) {
                return Copied.MOVING;
            }
            problem = failure;
        } catch (MemoryFault e) {
            problem = Unread.NOT_READABLE;
        } finally {
            memory.seal();
        }
        return problem == null ? Copied.DONE : Copied.UNREADABLE;
    }

    /** Discards the results of an earlier copy, and what was read while threads ran. */
    private void begin() {
        time = System.nanoTime();
        memory.clear();
        copies.clear();
        entered.clear();
        unread.clear();
        threadClasses.clear();
        chunkClasses.clear();
        tails.clear();
        problem = null;
        mounted = 0;
        text = 0;
        chunkCount = 0;
    }

    /** Copies the threads. Returns the reason why their list could not be read, or null. */
    private @Nullable Unread failureOf(Budget budget) {
        AddressSet threads;
        AwaitedLocks locks;
        try {
            List<Long> platform = new ArrayList<>();
            Map<Long, ManagedThread> javaThreads = javaThreads();
            locks = new AwaitedLocks(vm, heap, objects, javaThreads);
            for (long javaThread : javaThreads.keySet()) {
                long thread = objects.threadOf(javaThread);
                if (thread != 0) {
                    platform.add(thread);
                }
            }
            threads = new ThreadContainers(heap, objects, budget).threads(classes, platform);
        } catch (MemoryFault e) {
            return memory.isFull() ? Unread.NO_MEMORY : Unread.NOT_READABLE;
        } catch (BadMetadata e) {
            return Unread.IMPLAUSIBLE;
        } catch (Unreadable e) {
            return e.reason;
        }
        for (int i = 0; i < threads.size(); i++) {
            try {
                copyThread(threads.get(i), locks, budget);
            } catch (MemoryFault e) {
                count(memory.isFull() ? Unread.NO_MEMORY : Unread.NOT_READABLE, 1);
            } catch (BadMetadata e) {
                count(Unread.IMPLAUSIBLE, 1);
            } catch (Unreadable e) {
                boolean isOver = e.reason == Unread.NO_TIME;
                count(e.reason, isOver ? threads.size() - i : 1);
                if (isOver) {
                    break;
                }
            }
        }
        return null;
    }

    private Map<Long, ManagedThread> javaThreads() throws MemoryFault {
        Map<Long, ManagedThread> threads = new LinkedHashMap<>();
        new ThreadList(memory, vm.layout())
                .forEach((tid, javaThread) -> threads.put(javaThread, new ManagedThread(tid, javaThread)));
        return threads;
    }

    private void count(Unread reason, int threads) {
        unread.merge(reason, threads, Integer::sum);
    }

    private void copyThread(long thread, AwaitedLocks locks, Budget budget)
            throws MemoryFault, BadMetadata, Unreadable {
        budget.step();
        VirtualThreadFields fields = fields(thread);
        if (fields == null) {
            return; // a platform thread in a container
        }
        ManagedThreadState state = fields.stateOf(heap.readInt(thread + fields.state()));
        if (state == ManagedThreadState.TERMINATED) {
            return;
        }
        if (heap.reference(thread + fields.carrier()) != 0) {
            mounted++;
            return;
        }
        String name = name(heap.reference(thread + fields.name()));
        long continuation = heap.reference(thread + fields.continuation());
        long id = heap.readLong(thread + fields.id());
        List<Chunk> chunks = new ArrayList<>();
        long chunk = continuation == 0 ? 0 : heap.reference(continuation + tail(continuation));
        while (chunk != 0) {
            budget.step();
            if (++chunkCount > MAX_CHUNKS) {
                throw new BadMetadata("more than " + MAX_CHUNKS + " stack chunks");
            }
            ChunkFields its = chunkFields(chunk);
            if (chunks.isEmpty()) {
                addLockStack(id, chunk, its);
            }
            chunks.add(chunk(chunk, its));
            chunk = heap.reference(chunk + its.parent());
        }
        copies.add(new Copy(name, id, state, List.copyOf(chunks), awaited(thread, fields, state, locks)));
    }

    private Awaited awaited(long thread, VirtualThreadFields fields, ManagedThreadState state, AwaitedLocks locks) {
        try {
            return switch (state) {
                case PARKED, TIMED_PARKED -> {
                    long blocker = heap.reference(thread + fields.parkBlocker());
                    yield blocker == 0 ? Awaited.NONE : locks.parked(thread, blocker);
                }
                case BLOCKED -> atMonitor(thread, fields, LockWait.Kind.ENTER, locks);
                case WAITING, TIMED_WAITING -> atMonitor(thread, fields, LockWait.Kind.NOTIFICATION, locks);
                case NEW, IN_MANAGED_CODE, IN_NATIVE, IN_VM, SLEEPING, TERMINATED, UNKNOWN -> Awaited.NONE;
            };
        } catch (MemoryFault e) {
            Unread reason = memory.isFull() ? Unread.NO_MEMORY : Unread.NOT_READABLE;
            return new Awaited(LockWait.unread(reason), LockOwner.UNKNOWN);
        } catch (BadMetadata e) {
            return new Awaited(LockWait.unread(Unread.IMPLAUSIBLE), LockOwner.UNKNOWN);
        }
    }

    private Awaited atMonitor(long thread, VirtualThreadFields fields, LockWait.Kind kind, AwaitedLocks locks)
            throws MemoryFault, BadMetadata {
        return fields.objectWaiter() < 0
                ? new Awaited(LockWait.unread(Unread.NOT_DESCRIBED), LockOwner.UNKNOWN)
                : locks.atMonitor(thread, heap.readLong(thread + fields.objectWaiter()), kind);
    }

    /** Notes the objects on the lock stack of a thread, which is at the beginning of its last chunk. */
    private void addLockStack(long id, long chunk, ChunkFields its) throws MemoryFault {
        int size = its.lockStackSize() < 0 ? 0 : heap.readByte(chunk + its.lockStackSize());
        for (int i = 0; i < Math.min(size, MAX_LOCK_STACK); i++) {
            for (long object : heap.possible(chunk + its.stack() + 8L * i)) {
                entered.put(object, id);
            }
        }
    }

    private String name(long string) throws MemoryFault, BadMetadata, Unreadable {
        String name = string == 0 ? "" : strings.text(string);
        text += name.length();
        if (text > MAX_TEXT) {
            throw new Unreadable(Unread.NO_MEMORY);
        }
        return name;
    }

    private Chunk chunk(long chunk, ChunkFields its) throws MemoryFault, BadMetadata {
        int size = heap.readInt(chunk + its.size());
        int sp = heap.readInt(chunk + its.sp());
        int end = its.end(heap, chunk, size);
        if (size < 0 || size > MAX_CHUNK_WORDS || sp < 0 || sp > size || end < 0 || end > size) {
            throw new BadMetadata("a stack chunk of " + size + " words with frames from " + sp + " to " + end);
        }
        long stack = chunk + its.stack();
        if (sp < end) {
            int first = Math.max(0, sp - BELOW_SP);
            memory.retain(stack + 8L * first, 8L * (end - first));
        }
        return new Chunk(stack, sp, end);
    }

    private @Nullable VirtualThreadFields fields(long thread) throws MemoryFault, BadMetadata {
        long klass = heap.klass(thread);
        if (!threadClasses.containsKey(klass)) {
            threadClasses.put(klass, VirtualThreadFields.of(objects, thread, klass));
        }
        return threadClasses.get(klass);
    }

    private ChunkFields chunkFields(long chunk) throws MemoryFault, BadMetadata {
        long klass = heap.klass(chunk);
        ChunkFields known = chunkClasses.get(klass);
        if (known == null) {
            known = ChunkFields.of(
                    objects, chunk, vm.memory().readInt(klass + vm.layout().at(VmField.KLASS_LAYOUT_HELPER)));
            chunkClasses.put(klass, known);
        }
        return known;
    }

    private int tail(long continuation) throws MemoryFault, BadMetadata {
        long klass = heap.klass(continuation);
        Integer known = tails.get(klass);
        if (known == null) {
            known = objects.offset(continuation, "tail");
            if (known == null) {
                throw new BadMetadata("a continuation without its field tail");
            }
            tails.put(klass, known);
        }
        return known;
    }

    @Override
    public void forEach(Consumer<UnmountedThread> each) {
        for (Copy copy : copies) {
            each.accept(decoded(copy));
        }
    }

    private UnmountedThread decoded(Copy copy) {
        List<Frame> frames = new ArrayList<>();
        WalkOutcome outcome = WalkOutcome.COMPLETE;
        for (Chunk chunk : copy.chunks) {
            Step step =
                    chunk.sp < chunk.end ? code.frozen(frozen(chunk), time, frame -> add(frame, frames)) : Step.ROOT;
            WalkOutcome end = frames.size() == MAX_FRAMES ? WalkOutcome.TRUNCATED : step.end();
            if (end != null && end != WalkOutcome.COMPLETE) {
                outcome = end;
                break;
            }
        }
        return new UnmountedThread(copy.name, copy.id, copy.state, frames, outcome, withOwner(copy.awaited));
    }

    private Awaited withOwner(Awaited awaited) {
        LockWait lock = awaited.lock();
        return lock.kind() == LockWait.Kind.ENTER && awaited.owner().equals(LockOwner.UNKNOWN)
                ? new Awaited(lock, ownerOf(lock.object()))
                : awaited;
    }

    @Override
    public LockOwner ownerOf(long object) {
        Long id = entered.get(object);
        return id == null ? LockOwner.UNKNOWN : new LockOwner.OfUnmounted(id);
    }

    private static void add(Frame frame, List<Frame> frames) {
        if (frames.size() < MAX_FRAMES) {
            frames.add(frame);
        }
    }

    private FrozenFrames frozen(Chunk chunk) {
        int first = Math.max(0, chunk.sp - BELOW_SP);
        long[] words = new long[chunk.end - first];
        try {
            memory.readLongs(chunk.stack + 8L * first, words, words.length);
        } catch (MemoryFault e) {
            throw new IllegalStateException(e); // it was copied
        }
        return new FrozenFrames(words, first, chunk.sp, chunk.end);
    }

    @Override
    public int mounted() {
        return mounted;
    }

    @Override
    public Map<Unread, Integer> unread() {
        return Map.copyOf(unread);
    }

    /** The JDK loads one of two classes, by the property jdk.trackAllThreads. */
    @Override
    public boolean areAllRecorded() {
        return !classes.containsKey(ThreadContainers.COUNTING_ROOT) || classes.containsKey(ThreadContainers.ROOT);
    }

    @Override
    public @Nullable Unread problem() {
        return problem;
    }
}
