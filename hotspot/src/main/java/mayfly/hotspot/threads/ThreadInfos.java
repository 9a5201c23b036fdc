package mayfly.hotspot.threads;

import java.util.List;
import mayfly.hotspot.heap.InstanceFields;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.heap.JavaStrings;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.ReadOnce;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadInfo.Mounted;
import mayfly.runtime.thread.ManagedThreadState;
import mayfly.runtime.thread.Unread;
import org.jspecify.annotations.Nullable;

/**
 * Reads the VM's data on its Java threads: from the JavaThread, and from the {@code java.lang.Thread} that it points
 * to.
 *
 * <p>A thread's object is accepted if it points back to its JavaThread, and if neither it nor the objects it refers to
 * moved during the read. Nothing is read before the first query, so that a VM whose heap cannot be read can still be
 * profiled.
 */
public final class ThreadInfos {
    /** Upper bound on the length of a thread's name, in chars. */
    static final int MAX_NAME = 64 * 1024;

    private static final List<VmField> NEEDS =
            List.of(VmField.THREAD_OBJECT, VmField.THREAD_KLASS, VmField.STRING_KLASS);
    private static final int ATTEMPTS = 3;

    private final Memory metadata;
    private final UncachedMemory memory;
    private final VmLayout layout;
    private final List<Integer> referenceShifts;
    private final JdkRules rules;
    private final ThreadList threads;
    private final ReadOnce<ThreadObjects> objects = new ReadOnce<>(this::readers);

    /** @param referenceShifts see {@code SiteDecoder.referenceShifts} */
    public ThreadInfos(
            Memory metadata, VmLayout layout, List<Integer> referenceShifts, JdkRules rules, ThreadList threads) {
        this.metadata = metadata;
        this.memory = new UncachedMemory(metadata);
        this.layout = layout;
        this.referenceShifts = referenceShifts;
        this.rules = rules;
        this.threads = threads;
    }

    /**
     * Returns the current data on a thread. A value that cannot be read is null or UNKNOWN, with the reason in the
     * result; this never throws.
     */
    public ManagedThreadInfo info(ManagedThread thread, long epoch) {
        int vmState = ThreadStates.UNREAD;
        try {
            if (threads.tid(memory, thread.handle()) != thread.tid()) {
                return ManagedThreadInfo.unread(ManagedThreadState.UNKNOWN, Unread.THREAD_GONE);
            }
            if (layout.has(VmField.THREAD_STATE)) {
                vmState = memory.readInt(thread.handle() + layout.at(VmField.THREAD_STATE));
            }
            return read(thread.handle(), vmState, objects.get(epoch));
        } catch (MemoryFault e) {
            return unread(vmState, Unread.NOT_READABLE);
        } catch (Unreadable e) {
            return unread(vmState, e.reason);
        }
    }

    /** Returns the activity of a thread, in a few reads; UNKNOWN if it cannot be read. Never throws. */
    public ManagedThreadState state(ManagedThread thread, long epoch) {
        try {
            if (threads.tid(memory, thread.handle()) != thread.tid() || !layout.has(VmField.THREAD_STATE)) {
                return ManagedThreadState.UNKNOWN;
            }
            int vmState = memory.readInt(thread.handle() + layout.at(VmField.THREAD_STATE));
            return ThreadStates.of(vmState, objects.get(epoch).statusOf(thread.handle()));
        } catch (MemoryFault | BadMetadata | Unreadable e) {
            return ManagedThreadState.UNKNOWN;
        }
    }

    /**
     * Returns the Klass of a thread's object; 0 if the thread has no object.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if the object is being moved, or objects cannot be read; the exception has the reason
     */
    public long klass(ManagedThread thread, long epoch) throws MemoryFault, BadMetadata, Unreadable {
        ThreadObjects from = objects.get(epoch);
        for (int i = 0; i < ATTEMPTS; i++) {
            long object = from.threadOf(thread.handle());
            long klass = object == 0 ? 0 : from.heap.klass(object);
            if (from.threadOf(thread.handle()) == object) {
                return klass;
            }
        }
        throw new Unreadable(Unread.MOVING);
    }

    /**
     * Returns true if a thread's object was created with a task to run. The object of a thread that native code
     * attached has none.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     * @throws Unreadable if the object is being moved, or objects cannot be read; the exception has the reason
     */
    public boolean hasTask(ManagedThread thread, long epoch) throws MemoryFault, BadMetadata, Unreadable {
        ThreadObjects from = objects.get(epoch);
        for (int i = 0; i < ATTEMPTS; i++) {
            long object = from.threadOf(thread.handle());
            boolean has = object != 0 && from.taskOf(object) != 0;
            if (from.threadOf(thread.handle()) == object) {
                return has;
            }
        }
        throw new Unreadable(Unread.MOVING);
    }

    private static ManagedThreadInfo unread(int vmState, Unread reason) {
        return ManagedThreadInfo.unread(ThreadStates.of(vmState, ThreadStates.UNREAD), reason);
    }

    private ThreadObjects readers() throws MemoryFault, BadMetadata, Unreadable {
        if (!layout.hasAll(NEEDS) || !InstanceFields.isDescribed(layout)) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
        return new ThreadObjects();
    }

    /**
     * Reads until no object has moved during a read. A failed read may be due to a moving object, and is repeated too.
     */
    private ManagedThreadInfo read(long javaThread, int vmState, ThreadObjects from) throws MemoryFault, Unreadable {
        Unread last = Unread.MOVING;
        for (int i = 0; i < ATTEMPTS; i++) {
            long collections = from.heap.collections();
            if (collections == JavaHeap.COLLECTING) {
                last = Unread.MOVING;
                continue;
            }
            try {
                long thread = from.threadOf(javaThread);
                ManagedThreadInfo info =
                        thread == 0 ? unread(vmState, Unread.NO_THREAD_OBJECT) : from.read(javaThread, thread, vmState);
                if (info != null && from.heap.collections() == collections) {
                    return info;
                }
                last = Unread.MOVING;
            } catch (MemoryFault e) {
                last = Unread.NOT_READABLE;
            } catch (BadMetadata e) {
                last = Unread.IMPLAUSIBLE;
            } catch (Unreadable e) {
                last = e.reason;
            }
        }
        throw new Unreadable(last);
    }

    /** The offsets of the fields of one VM's thread objects. */
    private final class ThreadObjects {
        private final JavaHeap heap;
        private final int name;
        private final int number;
        private final int eetop;
        /** The offset of the reference to the object that has the state, since JDK 19; 0 if it is the thread itself. */
        private final int holder;

        private final int status;
        private final int daemon;
        /** 0 if there is no such field; only {@link #taskOf} needs it. */
        private final int task;

        private final JavaStrings strings;

        ThreadObjects() throws MemoryFault, BadMetadata, Unreadable {
            heap = new JavaHeap(metadata, layout, referenceShifts);
            InstanceFields thread = fields(VmField.THREAD_KLASS);
            name = thread.require("name");
            number = thread.require("tid");
            eetop = thread.require("eetop");
            Integer inHolder = thread.offset("holder");
            InstanceFields state = inHolder == null ? thread : fields(VmField.FIELD_HOLDER_KLASS);
            holder = inHolder == null ? 0 : inHolder;
            status = state.require("threadStatus");
            daemon = state.require("daemon");
            Integer runs = state.offset(inHolder == null ? "target" : "task");
            task = runs == null ? 0 : runs;
            strings = new JavaStrings(heap, fields(VmField.STRING_KLASS), MAX_NAME);
        }

        private InstanceFields fields(VmField klass) throws MemoryFault, BadMetadata, Unreadable {
            if (!layout.has(klass)) {
                throw new Unreadable(Unread.NOT_DESCRIBED);
            }
            return new InstanceFields(metadata, layout, rules, metadata.readLong(layout.at(klass)));
        }

        /** Returns the object of a JavaThread, or 0 if it has none. */
        long threadOf(long javaThread) throws MemoryFault, BadMetadata {
            return rooted(javaThread + layout.at(VmField.THREAD_OBJECT));
        }

        /** Returns the task of an object of class Thread, or 0 if it has none. */
        long taskOf(long thread) throws MemoryFault, BadMetadata {
            long state = holder == 0 ? thread : heap.reference(thread + holder);
            return state == 0 || task == 0 ? 0 : heap.reference(state + task);
        }

        private long rooted(long field) throws MemoryFault, BadMetadata {
            if (!rules.objectHandles()) {
                return heap.root(field);
            }
            long slot = heap.readLong(field);
            return slot == 0 ? 0 : heap.root(slot);
        }

        /** Returns the status of a JavaThread's object; {@link ThreadStates#UNREAD} if it is being moved. */
        int statusOf(long javaThread) throws MemoryFault, BadMetadata {
            long thread = threadOf(javaThread);
            long state = thread == 0 || holder == 0 ? thread : heap.reference(thread + holder);
            if (state == 0) {
                return ThreadStates.UNREAD;
            }
            int threadStatus = heap.readInt(state + status);
            boolean same = heap.readLong(thread + eetop) == javaThread
                    && threadOf(javaThread) == thread
                    && (holder == 0 || heap.reference(thread + holder) == state);
            return same ? threadStatus : ThreadStates.UNREAD;
        }

        /** Returns the data of the object, or null if it, or an object it refers to, moved meanwhile. */
        @Nullable
        ManagedThreadInfo read(long javaThread, long thread, int vmState) throws MemoryFault, BadMetadata, Unreadable {
            long state = holder == 0 ? thread : heap.reference(thread + holder);
            if (state == 0) {
                throw new Unreadable(Unread.NO_THREAD_OBJECT);
            }
            int threadStatus = heap.readInt(state + status);
            long nativeThread = heap.readLong(thread + eetop);
            if (nativeThread != javaThread && !(nativeThread == 0 && ThreadStates.isNotAlive(threadStatus))) {
                throw new BadMetadata("the Thread of another JavaThread");
            }
            boolean isDaemon = heap.readByte(state + daemon) != 0;
            long id = heap.readLong(thread + number);
            long string = heap.reference(thread + name);
            Unread unread = null;
            String text = null;
            try {
                text = strings.text(string);
            } catch (Unreadable e) {
                unread = e.reason;
            }
            Mounted mounted = mounted(javaThread, thread);
            boolean same = threadOf(javaThread) == thread
                    && heap.reference(thread + name) == string
                    && (holder == 0 || heap.reference(thread + holder) == state);
            return same
                    ? new ManagedThreadInfo(text, ThreadStates.of(vmState, threadStatus), isDaemon, id, mounted, unread)
                    : null;
        }

        /** Returns the virtual thread on a carrier. A failure here does not affect the other data. */
        private @Nullable Mounted mounted(long javaThread, long thread) {
            if (!layout.has(VmField.THREAD_VTHREAD)) {
                return null;
            }
            try {
                long vthread = rooted(javaThread + layout.at(VmField.THREAD_VTHREAD));
                if (vthread == 0 || vthread == thread) {
                    return null;
                }
                String text = strings.text(heap.reference(vthread + name));
                long id = heap.readLong(vthread + number);
                return rooted(javaThread + layout.at(VmField.THREAD_VTHREAD)) == vthread ? new Mounted(text, id) : null;
            } catch (MemoryFault | BadMetadata | Unreadable e) {
                return null;
            }
        }
    }
}
