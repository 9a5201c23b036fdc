package mayfly.hotspot.locks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.VmReaders;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.InstanceFields;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.ReadOnce;
import mayfly.hotspot.tables.UncachedMemory;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.ThreadList;
import mayfly.hotspot.threads.ThreadStates;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.FrameMonitor;
import mayfly.runtime.thread.FrameMonitor.State;
import mayfly.runtime.thread.LockOwner;
import mayfly.runtime.thread.LockWait;
import mayfly.runtime.thread.LockWait.Kind;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.MonitorState;
import mayfly.runtime.thread.Unread;

/**
 * Reads the lock for which a thread waits, the owners of locks, and the monitors that frames have entered. Nothing is
 * read before the first query, so that a VM whose heap cannot be read can still be profiled.
 */
public final class ThreadLocks {
    private static final List<VmField> NEEDS = List.of(
            VmField.THREAD_PENDING_MONITOR,
            VmField.THREAD_WAITING_MONITOR,
            VmField.THREAD_STACK_BASE,
            VmField.THREAD_STACK_SIZE,
            VmField.THREAD_OBJECT,
            VmField.MONITOR_OBJECT,
            VmField.MONITOR_OWNER,
            VmField.KLASS_SUPER,
            VmField.STRING_KLASS);
    private static final int ATTEMPTS = 3;
    private final VmReaders vm;
    private final VmLayout layout;
    private final ThreadList threads;
    private final UncachedMemory memory;
    private final ReadOnce<Objects> objects = new ReadOnce<>(this::readers);

    /** The readers of the objects of one VM. */
    private record Objects(
            JavaHeap heap, HeapObjects fields, Monitors monitors, ClassInitializations initializations) {}

    /** The data on all threads that one search for owners has read, before any later collection. */
    private record Pass(MonitorOwners monitors, Synchronizers synchronizers, OwnerTable table, long collections) {}

    public ThreadLocks(VmReaders vm, ThreadList threads) {
        this.vm = vm;
        this.threads = threads;
        this.memory = new UncachedMemory(vm.memory());
        this.layout = vm.layout();
    }

    /** Returns the lock for which a thread waits now. */
    public LockWait waitOf(ManagedThread thread, long epoch) {
        try {
            if (threads.tid(memory, thread.handle()) != thread.tid()) {
                return LockWait.unread(Unread.THREAD_GONE);
            }
            Objects from = objects.get(epoch);
            from.fields.retainClassesOf(epoch);
            return unmoved(from, thread.handle());
        } catch (MemoryFault e) {
            return LockWait.unread(Unread.NOT_READABLE);
        } catch (BadMetadata e) {
            return LockWait.unread(Unread.IMPLAUSIBLE);
        } catch (Unreadable e) {
            return LockWait.unread(e.reason);
        }
    }

    private Objects readers() throws MemoryFault, BadMetadata, Unreadable {
        if (!layout.hasAll(NEEDS) || !InstanceFields.isDescribed(layout)) {
            throw new Unreadable(Unread.NOT_DESCRIBED);
        }
        JavaHeap heap = new JavaHeap(vm.memory(), layout, vm.referenceShifts());
        return new Objects(
                heap,
                new HeapObjects(vm, heap),
                new Monitors(layout, vm.rules(), heap),
                new ClassInitializations(vm, threads, heap));
    }

    /** Reads until nothing has changed or moved during a read. */
    private LockWait unmoved(Objects from, long javaThread) throws MemoryFault, BadMetadata, Unreadable {
        Unread last = Unread.MOVING;
        for (int i = 0; i < ATTEMPTS; i++) {
            long collections = from.heap.collections();
            if (collections == JavaHeap.COLLECTING) {
                continue;
            }
            try {
                LockWait wait = read(from, javaThread);
                if (wait.equals(read(from, javaThread)) && from.heap.collections() == collections) {
                    return wait;
                }
            } catch (BadMetadata e) {
                last = Unread.IMPLAUSIBLE; // perhaps an object that is being moved
            }
        }
        throw new Unreadable(last);
    }

    private LockWait read(Objects from, long javaThread) throws MemoryFault, BadMetadata {
        long pending = from.heap.readLong(javaThread + layout.at(VmField.THREAD_PENDING_MONITOR));
        if (pending != 0) {
            return monitor(from, Kind.ENTER, pending);
        }
        long waiting = from.heap.readLong(javaThread + layout.at(VmField.THREAD_WAITING_MONITOR));
        if (waiting != 0) {
            return atMonitor(from, javaThread, waiting);
        }
        long thread = from.fields.currentThreadOf(javaThread);
        long blocker = thread == 0 ? 0 : from.fields.in(thread, "parkBlocker");
        if (blocker != 0) {
            return parked(from, blocker);
        }
        return ThreadStates.isRunnable(status(from, javaThread))
                ? from.initializations.awaitedBy(javaThread, false)
                : LockWait.NONE;
    }

    private LockWait parked(Objects from, long blocker) throws MemoryFault, BadMetadata {
        String type = from.fields.typeOf(blocker);
        return new LockWait(Synchronizers.kindOf(from.fields, blocker, type), type, blocker, 0, null);
    }

    /** Returns the lock of a thread that waits at a monitor that it had entered. */
    private LockWait atMonitor(Objects from, long javaThread, long monitor) throws MemoryFault, BadMetadata {
        int status = status(from, javaThread);
        if (ThreadStates.isBlocked(status)) {
            return monitor(from, Kind.REENTER, monitor);
        }
        if (ThreadStates.isInObjectWait(status)) {
            return monitor(from, Kind.NOTIFICATION, monitor);
        }
        // The VM itself waits, at the monitor of an object of its own.
        return ThreadStates.isRunnable(status) ? from.initializations.awaitedBy(javaThread, true) : LockWait.NONE;
    }

    /** Returns the Thread.threadStatus of a thread, 0 if it has none; that of the carrier, if a virtual thread runs. */
    private static int status(Objects from, long javaThread) throws MemoryFault, BadMetadata {
        long thread = from.fields.threadOf(javaThread);
        if (thread == 0) {
            return 0;
        }
        long state = from.fields.has(thread, "holder") ? from.fields.in(thread, "holder") : thread;
        return state == 0 ? 0 : from.fields.intIn(state, "threadStatus");
    }

    private LockWait monitor(Objects from, Kind kind, long monitor) throws MemoryFault, BadMetadata {
        long object = from.monitors.object(monitor);
        return object == 0 ? LockWait.NONE : new LockWait(kind, from.fields.typeOf(object), object, monitor, null);
    }

    /**
     * Prepares {@link #stateOf}: reads the layout of objects, which takes some milliseconds, unless that is known.
     */
    public void prepare(long epoch) {
        try {
            objects.get(epoch);
        } catch (Unreadable e) {
            return; // stateOf has the reason
        }
    }

    /** Returns the monitors for which a thread waits at this moment. Reads nothing else: see {@link #prepare}. */
    public MonitorState stateOf(ManagedThread thread) {
        Objects from = objects.known();
        if (from == null) {
            return MonitorState.unread(Unread.NOT_DESCRIBED);
        }
        try {
            long collections = from.heap.collections();
            long pending = from.heap.readLong(thread.handle() + layout.at(VmField.THREAD_PENDING_MONITOR));
            long waiting = from.heap.readLong(thread.handle() + layout.at(VmField.THREAD_WAITING_MONITOR));
            return collections == JavaHeap.COLLECTING
                    ? MonitorState.unread(Unread.MOVING)
                    : new MonitorState(pending, waiting, collections, null);
        } catch (MemoryFault e) {
            return MonitorState.unread(Unread.NOT_READABLE);
        }
    }

    /**
     * Returns the monitors of frames, without the one that the thread waits to enter.
     *
     * @param slots the references to their objects, from the copy of the stack
     * @param state the monitors of the thread at the moment of that copy
     */
    public List<FrameMonitor> monitorsOf(List<MonitorSlot> slots, MonitorState state, long epoch) {
        if (slots.isEmpty()) {
            return List.of();
        }
        try {
            Objects from = objects.get(epoch);
            Unread unread = state.unread();
            if (unread != null) {
                throw new Unreadable(unread);
            }
            from.fields.retainClassesOf(epoch);
            long pending = state.pending() == 0 ? 0 : from.monitors.object(state.pending());
            long waiting = state.waiting() == 0 ? 0 : from.monitors.object(state.waiting());
            List<FrameMonitor> monitors = new ArrayList<>();
            for (MonitorSlot slot : slots) {
                FrameMonitor monitor = monitor(from, slot, waiting);
                // A thread whose wait has timed out enters the monitor again at which it waited.
                boolean isEntered = monitor.object() != pending || monitor.object() == waiting;
                if (monitor.object() == 0 || isEntered) {
                    monitors.add(monitor);
                }
            }
            if (from.heap.collections() != state.collections()) {
                throw new Unreadable(Unread.MOVING);
            }
            return monitors;
        } catch (MemoryFault e) {
            return unread(slots, Unread.NOT_READABLE);
        } catch (BadMetadata e) {
            return unread(slots, Unread.IMPLAUSIBLE);
        } catch (Unreadable e) {
            return unread(slots, e.reason);
        }
    }

    private static List<FrameMonitor> unread(List<MonitorSlot> slots, Unread reason) {
        return slots.stream()
                .map(slot -> FrameMonitor.unread(slot.scope(), reason))
                .toList();
    }

    private FrameMonitor monitor(Objects from, MonitorSlot slot, long waiting)
            throws MemoryFault, BadMetadata, Unreadable {
        State state = slot.eliminated() ? State.ELIMINATED : State.ENTERED;
        long object = switch (slot.form()) {
            case REFERENCE -> from.heap.copied(slot.value());
            case NARROW -> from.heap.copiedNarrow(slot.value());
            case ADDRESS -> from.heap.local(slot.value());
            case CLASS_ADDRESS, UNKNOWN -> 0;
        };
        if (object != 0) {
            State entered = object == waiting ? State.LEFT : state;
            return new FrameMonitor(slot.scope(), entered, from.fields.typeOf(object), object, null);
        }
        String type = "";
        if (slot.form() == MonitorSlot.Form.CLASS_ADDRESS && slot.value() != 0) {
            type = from.fields.represented(from.heap.local(slot.value()));
        }
        return new FrameMonitor(slot.scope(), state, type, 0, null);
    }

    /**
     * Returns the owners of the locks for which threads wait. The owner of a lock for which its thread does not wait
     * any more is unknown.
     *
     * @param all all threads of the VM
     * @param waits for each thread, a result of {@link #waitOf}
     */
    public Map<ManagedThread, LockOwner> ownersOf(
            List<ManagedThread> all, Map<ManagedThread, LockWait> waits, long epoch) {
        Map<ManagedThread, LockOwner> owners = new HashMap<>();
        Pass pass = null;
        for (Map.Entry<ManagedThread, LockWait> each : waits.entrySet()) {
            try {
                Objects from = objects.get(epoch);
                long collections = from.heap.collections();
                pass = pass == null || pass.collections != collections ? pass(from, all, collections) : pass;
                owners.put(each.getKey(), owner(from, pass, each.getKey(), each.getValue(), epoch));
            } catch (MemoryFault | BadMetadata | Unreadable e) {
                owners.put(each.getKey(), LockOwner.UNKNOWN);
            }
        }
        return owners;
    }

    private Pass pass(Objects from, List<ManagedThread> all, long collections) {
        OwnerTable table = new OwnerTable(layout, from.heap, all);
        return new Pass(
                new MonitorOwners(from.monitors, vm.rules().monitorOwner(), table),
                new Synchronizers(from.fields, table::withAddress),
                table,
                collections);
    }

    private LockOwner owner(Objects from, Pass pass, ManagedThread thread, LockWait noted, long epoch)
            throws MemoryFault, BadMetadata, Unreadable {
        LockWait wait = waitOf(thread, epoch);
        if (wait.unread() != null || !wait.isFor(noted)) {
            return LockOwner.UNKNOWN;
        }
        long collections = from.heap.collections();
        LockOwner owner = switch (wait.kind()) {
            case NONE, NOTIFICATION -> LockOwner.NONE;
            case ENTER, REENTER -> pass.monitors.ownerOf(wait.monitor());
            case INITIALIZATION -> initializing(from, pass, wait.monitor());
            case ACQUIRE, PARK ->
                pass.synchronizers.ownerOf(
                        from.fields.currentThreadOf(thread.handle()),
                        wait.object(),
                        from.fields.className(wait.object()));
        };
        boolean same = wait.equals(waitOf(thread, epoch))
                && from.heap.collections() == collections
                && pass.collections == collections;
        return same ? owner : LockOwner.UNKNOWN;
    }

    private static LockOwner initializing(Objects from, Pass pass, long klass) throws MemoryFault {
        ManagedThread thread = pass.table.withAddress(from.initializations.initializing(klass));
        return thread == null ? LockOwner.UNKNOWN : new LockOwner.OfThread(thread);
    }
}
