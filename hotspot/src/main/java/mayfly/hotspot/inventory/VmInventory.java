package mayfly.hotspot.inventory;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.heap.HeapObjects;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.JdkRules;
import mayfly.hotspot.tables.Unreadable;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.hotspot.threads.ThreadList;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.Unread;

/**
 * What is loaded into a VM and how it is set, for an audit. Each question is answered whole, as of one moment, or not
 * at all with the reason. Its caller makes the memory forget before it asks.
 */
public final class VmInventory {
    /** What moves or goes while it is read is read again so often. */
    private static final int ATTEMPTS = 10;

    private final Memory memory;
    private final VmLayout layout;
    private final JdkRules rules;
    private final Methods methods;
    private final ModuleSymbols symbols;
    private final Runnable forget;
    private final OwnerReading owners;

    /**
     * Has no state of the VM yet.
     *
     * @param forget makes {@code memory} forget what it read
     * @param owners reads the owners of the VM's threads
     */
    public VmInventory(Memory memory, VmLayout layout, JdkRules rules, Methods methods, ModuleSymbols symbols,
            Runnable forget, OwnerReading owners) {
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
        this.methods = methods;
        this.symbols = symbols;
        this.forget = forget;
        this.owners = owners;
    }

    /** Reads the owners of a VM's threads once. */
    public interface OwnerReading {
        /**
         * Returns them by the ids that the process has for its threads.
         *
         * @throws MemoryFault if the list of threads cannot be read
         */
        Map<Integer, ThreadOwner> read() throws MemoryFault;
    }

    /**
     * The owner of each of its Java threads, by the id that the process has for it. Empty if the VM's threads cannot be
     * distinguished from others.
     *
     * @throws MemoryFault if the list of threads cannot be read
     */
    public Map<Integer, ThreadOwner> threadOwners() throws MemoryFault {
        return owners.read();
    }

    /** Something that cannot be told of this VM, now or at all; the message says why. */
    public static final class NotTold extends Exception {
        private static final long serialVersionUID = 1L;

        NotTold(String reason) {
            super(reason, null, false, false);
        }
    }

    /** Reads something once. */
    private interface Reading<T> {
        T read() throws MemoryFault, BadMetadata, Unreadable;
    }

    /** The classes and their loaders. */
    public LoadedClasses classes() throws NotTold {
        return settled(ClassGraph.NEEDS,
                () -> ClassGraph.read(memory, layout, methods, new JavaHeap(memory, layout)));
    }

    /** The flags whose value does not come from the VM's defaults. */
    public List<SetFlag> flags() throws NotTold {
        return settled(SetFlags.NEEDS, () -> SetFlags.read(memory, layout, rules));
    }

    /** What the VM keeps for agents. */
    public JvmtiState jvmti() throws NotTold {
        if (symbols.address(JvmtiStates.HEAD) == 0) {
            throw new NotTold("this libjvm.so is stripped: it has no symbol for the list of environments");
        }
        return settled(List.of(), () -> JvmtiStates.read(memory, symbols));
    }

    /** The properties that {@code System.getProperties} has: untrusted text. */
    public SortedMap<String, String> systemProperties() throws NotTold {
        return unmoved(SystemProperties.NEEDS, objects -> SystemProperties.read(objects, memory, layout));
    }

    /** What a program has registered with the JDK. */
    public Registrations registrations() throws NotTold {
        Map<String, Long> klasses = settled(ClassGraph.NEEDS,
                () -> ClassGraph.klasses(memory, layout, methods, new JavaHeap(memory, layout), Registrations.CLASSES));
        if (!layout.hasAll(Registrations.NEEDS)) {
            throw new NotTold("this JVM does not describe where it is");
        }
        long thread = settled(List.of(), () -> memory.readLong(layout.at(VmField.THREAD_KLASS)));
        return new Registrations(this, new ThreadList(memory, layout), thread, klasses);
    }

    /** Where the VM's log goes: each output, and what is written to it. A file's name is untrusted text. */
    public List<String> logOutputs() throws NotTold {
        if (symbols.address(LogOutputs.OUTPUTS) == 0 || symbols.address(LogOutputs.COUNT) == 0) {
            throw new NotTold("this libjvm.so is stripped: it has no symbol for the outputs of the log");
        }
        return settled(List.of(), () -> LogOutputs.read(memory, symbols));
    }

    /** Reads objects once. */
    interface ObjectReading<T extends Object> {
        T read(HeapObjects objects) throws MemoryFault, BadMetadata, Unreadable;
    }

    /** What is read twice, and is the same: a concurrent collector moves objects without a collection's count. */
    <T> T unmoved(List<VmField> needs, ObjectReading<T> reading) throws NotTold {
        return settled(needs, () -> {
            JavaHeap heap = new JavaHeap(memory, layout);
            return unmoved(heap, () -> {
                T first = reading.read(new HeapObjects(memory, layout, rules, heap, methods));
                T second = reading.read(new HeapObjects(memory, layout, rules, heap, methods));
                if (!first.equals(second)) {
                    throw new Unreadable(Unread.MOVING);
                }
                return second;
            });
        });
    }

    /** Whatever was read holds only if no collection moved objects meanwhile. */
    private static <T> T unmoved(JavaHeap heap, Reading<T> reading) throws MemoryFault, BadMetadata, Unreadable {
        long collections = heap.collections();
        if (collections == JavaHeap.COLLECTING) {
            throw new Unreadable(Unread.MOVING);
        }
        T read = reading.read();
        if (heap.collections() != collections) {
            throw new Unreadable(Unread.MOVING);
        }
        return read;
    }

    private <T> T settled(List<VmField> needs, Reading<T> reading) throws NotTold {
        if (!layout.hasAll(needs)) {
            throw new NotTold("this JVM does not describe where it is");
        }
        String reason = "";
        for (int i = 0; i < ATTEMPTS; i++) {
            forget.run();
            try {
                return reading.read();
            } catch (MemoryFault | BadMetadata e) {
                reason = "it changes while it is read, or is torn: " + e.getMessage();
            } catch (Unreadable e) {
                reason = e.reason.label();
            }
        }
        throw new NotTold(reason);
    }
}
