package mayfly.audit;

import java.util.List;
import java.util.Optional;
import mayfly.discovery.ProcessRuntimes;
import mayfly.hotspot.inventory.InventoryQueries;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.unwind.NativeModule;

/** The runtimes found in a process as {@link AuditedVms}. */
record FoundVms(ProcessRuntimes all) implements AuditedVms {
    @Override
    public List<FoundRuntime> present() {
        return all.present();
    }

    @Override
    public Optional<InventoryQueries> inventory(ManagedRuntime runtime) {
        return all.inventory(runtime).map(InventoryQueries.class::cast);
    }

    @Override
    public void forgetMemory() {
        all.forgetMemory();
    }

    @Override
    public Optional<String> libraryAt(long address) {
        return Optional.ofNullable(all.code().moduleAt(address)).map(NativeModule::name);
    }
}
