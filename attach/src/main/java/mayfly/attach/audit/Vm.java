package mayfly.attach.audit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.binary.BadFormat;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.StartedVms;
import mayfly.hotspot.inventory.VmInventory;
import mayfly.hotspot.tables.UnsupportedVm;
import mayfly.hotspot.tables.VmSymbols;
import mayfly.hotspot.threads.ThreadOwner;
import mayfly.linux.LiveProcess;
import mayfly.process.MemoryFault;
import mayfly.process.PagedMemory;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedThread;
import org.jspecify.annotations.Nullable;

/** One JVM of a process, as far as it can be read. */
final class Vm {
    static final String LIBRARY = "libjvm.so";

    private final PagedMemory memory;
    private final Libraries.Library library;
    private final @Nullable HotSpot runtime;
    private final String problem;

    private Vm(PagedMemory memory, Libraries.Library library, @Nullable HotSpot runtime, String problem) {
        this.memory = memory;
        this.library = library;
        this.runtime = runtime;
        this.problem = problem;
    }

    /**
     * Those of a process, by their ids; those that cannot be read come last, without one. A libjvm that is mapped beside
     * them, and in which no JVM was started, is none of them.
     */
    static List<Vm> of(LiveProcess process, Libraries libraries) throws IOException {
        PagedMemory memory = new PagedMemory(process.memory());
        List<Libraries.Library> mapped = libraries.all().stream()
                .filter(library -> library.name().equals(LIBRARY)).toList();
        List<StartedVms.Library> asked = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Libraries.Library library : mapped) {
            VmSymbols symbols = null;
            String problem = "";
            try {
                symbols = new OfLibrary(libraries.symbols(library));
            } catch (IOException | BadFormat e) {
                problem = "the symbols of " + library.path() + " cannot be read: " + e.getMessage();
            }
            asked.add(new StartedVms.Library(library.start(), symbols));
            problems.add(problem);
        }
        List<StartedVms.Opened> opened = StartedVms.open(memory, asked, List.of(), process);
        boolean anyStarted = opened.stream().anyMatch(StartedVms.Opened::mayHaveStarted);
        List<Vm> found = new ArrayList<>();
        for (int i = 0; i < opened.size(); i++) {
            StartedVms.Opened each = opened.get(i);
            if (each.mayHaveStarted() || !anyStarted) {
                UnsupportedVm problem = each.problem();
                found.add(new Vm(memory, mapped.get(i), each.vm(),
                        problem == null ? problems.get(i) : String.valueOf(problem.getMessage())));
            }
        }
        found.sort(Comparator.comparingInt(vm -> vm.id().map(RuntimeId::number).orElse(Integer.MAX_VALUE)));
        return found;
    }

    /** Which it is, and its version if that can be read. */
    String line() {
        HotSpot of = runtime;
        return of == null ? "HotSpot at 0x" + Long.toHexString(library.start()) : of.line();
    }

    Libraries.Library library() {
        return library;
    }

    /** Why it cannot be read; empty if it can. */
    String problem() {
        return problem;
    }

    /** Empty if it cannot be read, or has not started. */
    Optional<RuntimeId> id() {
        return Optional.ofNullable(runtime).map(HotSpot::id);
    }

    /** Empty if it cannot be read, or has not started. */
    Optional<HotSpot> runtime() {
        return Optional.ofNullable(runtime);
    }

    /** What is put before each item of one that is not the only one. */
    String prefix() {
        return id().map(RuntimeId::toString).orElse("JVM at 0x" + Long.toHexString(library.start())) + ": ";
    }

    VmInventory inventory() throws NotSeen {
        HotSpot of = runtime;
        if (of == null) {
            throw new NotSeen(problem);
        }
        return of.inventory(memory::forget);
    }

    /** Adds what is known of its threads, by the ids that the process knows them by: as much as can be read. */
    void addThreads(Map<Integer, JavaThread> to) {
        HotSpot of = runtime;
        if (of == null) {
            return;
        }
        memory.forget();
        try {
            Map<Integer, ThreadOwner> owners = of.threadOwners();
            for (ManagedThread thread : of.threads()) {
                to.put(thread.tid(), new JavaThread(of.info(thread).name(),
                        owners.getOrDefault(thread.tid(), ThreadOwner.OTHER)));
            }
        } catch (MemoryFault e) {
            return; // a thread whose name is not known goes by that which the kernel has
        }
    }

    /**
     * A thread that the JVM knows.
     *
     * @param name its name, untrusted text; null if it could not be read
     * @param owner whose it is
     */
    record JavaThread(@Nullable String name, ThreadOwner owner) {
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
