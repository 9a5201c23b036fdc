package mayfly.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mayfly.hotspot.inventory.InventoryQueries;
import mayfly.profile.RuntimeId;
import mayfly.runtime.AddressRange;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeModule;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.thread.ManagedThread;
import mayfly.runtime.thread.ManagedThreadInfo;
import mayfly.runtime.thread.ManagedThreadState;
import org.jspecify.annotations.Nullable;

/** The JVMs of a scripted process. */
final class ScriptedVms implements AuditedVms {
    private final List<FoundRuntime> present = new ArrayList<>();
    private final Map<ManagedRuntime, InventoryQueries> inventories = new HashMap<>();
    final Map<Long, String> libraries = new HashMap<>();
    int forgotten;

    /** Adds the next JVM; its threads have the ids and names of the map. */
    void add(InventoryQueries inventory, Map<Integer, String> threads) {
        var vm = new Vm(present.size() + 1, threads);
        present.add(new FoundRuntime(vm, "HotSpot", vm, null, true));
        inventories.put(vm, inventory);
    }

    void addOther() {
        var vm = new Vm(present.size() + 1, Map.of());
        present.add(new FoundRuntime(vm, "Other", vm, null, true));
    }

    void addUnreadable(String problem) {
        present.add(new FoundRuntime(
                new Vm(present.size() + 1, Map.of()),
                "HotSpot",
                null,
                new RuntimeProblem(RuntimeProblem.Reason.INCONSISTENT, problem, ""),
                true));
    }

    @Override
    public List<FoundRuntime> present() {
        return present;
    }

    @Override
    public Optional<InventoryQueries> inventory(ManagedRuntime runtime) {
        return Optional.ofNullable(inventories.get(runtime));
    }

    @Override
    public void forgetMemory() {
        forgotten++;
    }

    @Override
    public Optional<String> libraryAt(long address) {
        return Optional.ofNullable(libraries.get(address));
    }

    private record Vm(int number, Map<Integer, String> names) implements ManagedRuntime, RuntimeModule {
        @Override
        public RuntimeId id() {
            return new RuntimeId(number);
        }

        @Override
        public String kind() {
            return "HotSpot";
        }

        @Override
        public String version() {
            return "25";
        }

        @Override
        public long libraryStart() {
            return start();
        }

        @Override
        public boolean isLibrary(String path, long start) {
            return false;
        }

        @Override
        public List<ManagedThread> threads() {
            return names.keySet().stream()
                    .map(tid -> new ManagedThread(tid, tid))
                    .toList();
        }

        @Override
        public ManagedThreadInfo info(ManagedThread thread) {
            return new ManagedThreadInfo(names.get(thread.tid()), ManagedThreadState.values()[0], false, 0);
        }

        @Override
        public String name() {
            return "libjvm.so";
        }

        @Override
        public String path() {
            return "/jdk/" + name();
        }

        @Override
        public long start() {
            return 0x1000L * number;
        }

        @Override
        public @Nullable ModuleSymbols symbols() {
            return null;
        }

        @Override
        public @Nullable AddressRange functionAt(long address) {
            return null;
        }

        @Override
        public String problem() {
            return "";
        }
    }
}
