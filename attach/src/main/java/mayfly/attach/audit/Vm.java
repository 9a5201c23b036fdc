package mayfly.attach.audit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.binary.BadFormat;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.UnsupportedVm;
import mayfly.hotspot.VmInventory;
import mayfly.hotspot.VmSymbols;
import mayfly.linux.LiveProcess;
import mayfly.process.MemoryFault;
import mayfly.process.PagedMemory;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedThread;
import org.jspecify.annotations.Nullable;

/** One JVM of a process, as far as it can be read: a libjvm that is mapped. */
final class Vm {
    static final String LIBRARY = "libjvm.so";

    private final RuntimeId id;
    private final PagedMemory memory;
    private final Libraries.Library library;
    private @Nullable HotSpot runtime;
    private String problem = "";

    private Vm(LiveProcess process, Libraries libraries, Libraries.Library library, int number) {
        id = new RuntimeId(number);
        this.library = library;
        memory = new PagedMemory(process.memory());
        try {
            runtime = HotSpot.open(id, memory, new OfLibrary(libraries.symbols(library)), library.start());
        } catch (IOException | BadFormat e) {
            problem = "the symbols of " + library.path() + " cannot be read: " + e.getMessage();
        } catch (UnsupportedVm e) {
            problem = String.valueOf(e.getMessage());
        }
    }

    /** Those of a process, by address. */
    static List<Vm> of(LiveProcess process, Libraries libraries) {
        List<Vm> found = new ArrayList<>();
        for (Libraries.Library library : libraries.all()) {
            if (library.name().equals(LIBRARY)) {
                found.add(new Vm(process, libraries, library, found.size() + 1));
            }
        }
        return found;
    }

    /** Which it is, and its version if that can be read. */
    String line() {
        HotSpot of = runtime;
        return id + " HotSpot" + (of == null ? "" : " " + of.version());
    }

    Libraries.Library library() {
        return library;
    }

    /** Why it cannot be read; empty if it can. */
    String problem() {
        return problem;
    }

    /** Empty if it cannot be read, or has not started. */
    Optional<String> version() {
        return Optional.ofNullable(runtime).map(HotSpot::version);
    }

    /** What is put before each item of one that is not the only one. */
    String prefix() {
        return id + ": ";
    }

    VmInventory inventory() throws NotSeen {
        HotSpot of = runtime;
        if (of == null) {
            throw new NotSeen(problem);
        }
        return of.inventory(memory::forget);
    }

    /** Adds the names of its threads by the ids that the process knows them by: as many as can be read. */
    void addThreadNames(Map<Integer, String> to) {
        HotSpot of = runtime;
        if (of == null) {
            return;
        }
        memory.forget();
        try {
            for (ManagedThread thread : of.threads()) {
                String name = of.info(thread).name();
                if (name != null) {
                    to.put(thread.tid(), name);
                }
            }
        } catch (MemoryFault e) {
            return; // a thread whose name is not known goes by that which the kernel has
        }
    }

    /** A library's symbols at their addresses in the process. */
    private record OfLibrary(Libraries.Symbols symbols) implements VmSymbols {
        @Override
        public long address(String name) {
            return symbols.of().addressOf(name).orElse(-symbols.bias()) + symbols.bias();
        }

        @Override
        public List<Named> objectsWithPrefix(String prefix) {
            return symbols.of().objectsWithPrefix(prefix).stream()
                    .map(symbol -> new Named(symbol.address() + symbols.bias(), symbol.name())).toList();
        }
    }
}
