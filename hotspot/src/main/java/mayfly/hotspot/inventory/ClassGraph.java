package mayfly.hotspot.inventory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.heap.JavaHeap;
import mayfly.hotspot.inventory.LoadedClasses.Loaded;
import mayfly.hotspot.inventory.LoadedClasses.Loader;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.hotspot.tables.VmField;
import mayfly.hotspot.tables.VmLayout;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * Walks the VM's graph of class loader data, see classLoaderDataGraph.hpp: a list of loaders, each with the list of its
 * classes.
 *
 * <p>Both lists grow at their heads, and are cut only in stop-the-world pauses. A class must refer to the loader data
 * in whose list it was found, and a loader must be an instance of a class that was found: memory that was freed and
 * reused meanwhile passes neither check.
 */
public final class ClassGraph {
    public static final List<VmField> NEEDS = List.of(
            VmField.GRAPH_HEAD,
            VmField.LOADER_DATA_NEXT,
            VmField.LOADER_DATA_KLASSES,
            VmField.LOADER_DATA_LOADER,
            VmField.LOADER_DATA_OF_CLASS,
            VmField.KLASS_NEXT_LINK,
            VmField.KLASS_LOADER_DATA);
    private static final int MAX_LOADERS = 200_000;
    private static final int MAX_CLASSES = 200_000;
    /** Upper bound on the attempts to read a loader, an object that a collector may be moving. */
    private static final int LOOKS = 100;
    /** Upper bound on the length of all names together, in chars: three times those of a large application. */
    private static final int MAX_TEXT = 16 << 20;

    private final Memory memory;
    private final VmLayout layout;
    private final Methods methods;
    private final JavaHeap heap;
    /** Names of classes by their Klass. */
    private final Map<Long, String> names = new HashMap<>();

    private int text;

    private ClassGraph(Memory memory, VmLayout layout, Methods methods, JavaHeap heap) {
        this.memory = memory;
        this.layout = layout;
        this.methods = methods;
        this.heap = heap;
    }

    /** One node of the graph, with its classes, newest first. */
    private record Node(long address, boolean ofClass, List<Long> klasses) {}

    static LoadedClasses read(Memory memory, VmLayout layout, Methods methods, JavaHeap heap)
            throws MemoryFault, BadMetadata {
        ClassGraph graph = new ClassGraph(memory, layout, methods, heap);
        return graph.named(graph.nodes());
    }

    /**
     * Returns the Klass of each wanted class that the boot loader has loaded, by name.
     *
     * @throws MemoryFault if the target's memory cannot be read
     * @throws BadMetadata if the data read is inconsistent
     */
    public static Map<String, Long> klasses(
            Memory memory, VmLayout layout, Methods methods, JavaHeap heap, Set<String> wanted)
            throws MemoryFault, BadMetadata {
        ClassGraph graph = new ClassGraph(memory, layout, methods, heap);
        Map<String, Long> found = new HashMap<>();
        int nodes = 0;
        for (long at = memory.readLong(layout.at(VmField.GRAPH_HEAD));
                at != 0 && nodes++ < MAX_LOADERS;
                at = memory.readLong(at + layout.at(VmField.LOADER_DATA_NEXT))) {
            boolean isBoot = memory.readLong(at + layout.at(VmField.LOADER_DATA_LOADER)) == 0
                    && memory.readByte(at + layout.at(VmField.LOADER_DATA_OF_CLASS)) == 0;
            for (long klass : isBoot ? graph.klasses(at) : List.<Long>of()) {
                if (wanted.contains(graph.name(klass))) {
                    found.put(graph.name(klass), klass);
                }
            }
        }
        return found;
    }

    private List<Node> nodes() throws MemoryFault, BadMetadata {
        List<Node> nodes = new ArrayList<>();
        for (long at = memory.readLong(layout.at(VmField.GRAPH_HEAD));
                at != 0;
                at = memory.readLong(at + layout.at(VmField.LOADER_DATA_NEXT))) {
            if (nodes.size() == MAX_LOADERS) {
                throw new BadMetadata("more than " + MAX_LOADERS + " class loaders");
            }
            nodes.add(new Node(at, memory.readByte(at + layout.at(VmField.LOADER_DATA_OF_CLASS)) != 0, klasses(at)));
        }
        return nodes;
    }

    private List<Long> klasses(long loaderData) throws MemoryFault, BadMetadata {
        List<Long> klasses = new ArrayList<>();
        for (long klass = memory.readLong(loaderData + layout.at(VmField.LOADER_DATA_KLASSES));
                klass != 0;
                klass = memory.readLong(klass + layout.at(VmField.KLASS_NEXT_LINK))) {
            if (memory.readLong(klass + layout.at(VmField.KLASS_LOADER_DATA)) != loaderData) {
                throw new BadMetadata("a class in the list of another loader");
            }
            String name = methods.className(klass);
            text += name.length();
            if (names.putIfAbsent(klass, name) != null || names.size() > MAX_CLASSES || text > MAX_TEXT) {
                throw new BadMetadata("more than " + MAX_CLASSES
                        + " classes, a class that is listed twice, or names that are too long");
            }
            klasses.add(klass);
        }
        return klasses;
    }

    private LoadedClasses named(List<Node> nodes) throws MemoryFault, BadMetadata {
        List<Loader> loaders = new ArrayList<>();
        List<Loaded> classes = new ArrayList<>(names.size());
        for (Node node : nodes) {
            String loader = loaderOf(node.address);
            if (!node.ofClass) {
                loaders.add(new Loader(
                        loader, node.klasses.isEmpty() ? "" : name(node.klasses.getLast()), node.klasses.size()));
            }
            for (long klass : node.klasses) {
                classes.add(new Loaded(name(klass), loader, isRedefined(klass)));
            }
        }
        return new LoadedClasses(loaders, classes, layout.redefinedClassFlag != 0);
    }

    private String name(long klass) {
        return names.getOrDefault(klass, "");
    }

    private String loaderOf(long loaderData) throws MemoryFault, BadMetadata {
        long slot = memory.readLong(loaderData + layout.at(VmField.LOADER_DATA_LOADER));
        if (slot == 0) {
            return LoadedClasses.BOOT;
        }
        String name = null;
        for (int i = 0; i < LOOKS && name == null; i++) {
            try {
                long loader = heap.root(slot);
                name = loader == 0 ? LoadedClasses.BOOT : names.get(heap.klass(loader));
            } catch (MemoryFault | BadMetadata e) {
                continue; // it was moved between the two reads
            }
        }
        if (name == null) {
            throw new BadMetadata("a loader whose class was not found");
        }
        return name;
    }

    private boolean isRedefined(long klass) throws MemoryFault {
        return layout.redefinedClassFlag != 0
                && !name(klass).startsWith("[")
                && (memory.readShort(klass + layout.at(VmField.INSTANCE_KLASS_MISC_FLAGS)) & layout.redefinedClassFlag)
                        != 0;
    }
}
