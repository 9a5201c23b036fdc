package mayfly.hotspot;

import java.util.List;
import java.util.SortedMap;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
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
    private final VmSymbols symbols;
    private final Runnable forget;

    VmInventory(Memory memory, VmLayout layout, JdkRules rules, Methods methods, VmSymbols symbols, Runnable forget) {
        this.memory = memory;
        this.layout = layout;
        this.rules = rules;
        this.methods = methods;
        this.symbols = symbols;
        this.forget = forget;
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
        return settled(SystemProperties.NEEDS, () -> {
            JavaHeap heap = new JavaHeap(memory, layout);
            return unmoved(heap, () -> new SystemProperties(memory, layout, rules, heap).read());
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
