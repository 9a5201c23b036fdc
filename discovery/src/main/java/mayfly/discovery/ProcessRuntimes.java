package mayfly.discovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.HotSpotLoader;
import mayfly.hotspot.inventory.VmInventory;
import mayfly.linux.LiveProcess;
import mayfly.process.KernelThreads;
import mayfly.process.PagedMemory;
import mayfly.process.TargetProcess;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;

/**
 * The modules and the runtimes of a process. Nothing else finds runtimes or numbers them. Belongs to one thread.
 *
 * <p>A runtime is found by the library that is mapped for it. It keeps its id for the life of the process. A library in
 * which no runtime was started has none.
 */
public final class ProcessRuntimes {
    /** A row for each kind of runtime. */
    private static final List<RuntimeLoader> LOADERS = List.of(new HotSpotLoader());

    private final PagedMemory memory;
    private final NativeCode code;
    private final List<RuntimeLoader> loaders;
    private List<FoundRuntime> found = List.of();
    private List<ManagedRuntime> runtimes = List.of();

    private ProcessRuntimes(TargetProcess process, List<RuntimeLoader> loaders) throws IOException {
        this.memory = new PagedMemory(process.memory());
        this.code = NativeCode.of(process);
        this.loaders = List.copyOf(loaders);
    }

    /**
     * Reads the mappings of a process, and no runtime yet.
     *
     * @throws IOException if the process has ended, or its mappings may not be read
     */
    public static ProcessRuntimes of(TargetProcess process) throws IOException {
        return of(process, LOADERS);
    }

    static ProcessRuntimes of(TargetProcess process, List<RuntimeLoader> loaders) throws IOException {
        return new ProcessRuntimes(process, loaders);
    }

    /**
     * The same with its runtimes.
     *
     * @throws IOException if the process has ended, or its mappings or threads may not be read
     */
    public static ProcessRuntimes read(LiveProcess process) throws IOException {
        ProcessRuntimes all = of(process);
        all.open(process);
        return all;
    }

    /** Whether a file of this name is the library of a runtime. */
    public static boolean isLibrary(String fileName) {
        return LOADERS.stream().anyMatch(loader -> loader.isLibrary(fileName));
    }

    /** The libraries of runtimes that are mapped, by address, whether a runtime was started in them or not. */
    public List<NativeModule> libraries() {
        return code.modules().stream().filter(module -> loaders.stream().anyMatch(loader -> loader.isLibrary(module.name())))
                .toList();
    }

    /**
     * Opens the runtimes in the libraries that are mapped. Those that were opened before stay the same objects.
     *
     * @param threads the threads of the process
     * @return whether there are more runtimes than before
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    public boolean open(KernelThreads threads) throws IOException {
        List<FoundRuntime> now = new ArrayList<>();
        List<ManagedRuntime> opened = new ArrayList<>(runtimes);
        int numbered = 0;
        for (RuntimeLoader loader : loaders) {
            List<MappedModule> libraries = code.modules().stream().filter(module -> loader.isLibrary(module.name()))
                    .map(MappedModule::new).toList();
            List<FoundRuntime> its = loader.open(memory, libraries, runtimes, threads, numbered);
            for (FoundRuntime each : its) {
                ManagedRuntime runtime = each.runtime();
                if (runtime != null) {
                    numbered = Math.max(numbered, runtime.id().number());
                    if (!opened.contains(runtime)) {
                        opened.add(runtime);
                    }
                }
            }
            now.addAll(its);
        }
        found = List.copyOf(now);
        opened.sort(Comparator.comparingInt(runtime -> runtime.id().number()));
        boolean more = opened.size() > runtimes.size();
        runtimes = more ? List.copyOf(opened) : runtimes;
        return more;
    }

    /** The runtimes that were opened, by their ids. One whose library was unmapped since is still among them. */
    public List<ManagedRuntime> runtimes() {
        return runtimes;
    }

    /** All libraries that the last {@link #open} looked at, with the runtimes in them. */
    List<FoundRuntime> found() {
        return found;
    }

    /**
     * The runtimes of the last {@link #open}, by their ids; those that cannot be read come last, without one. A library that
     * is mapped beside them, and in which no runtime was started, is none of them.
     */
    public List<FoundRuntime> present() {
        boolean anyStarted = found.stream().anyMatch(FoundRuntime::mayHaveStarted);
        return found.stream().filter(each -> each.mayHaveStarted() || !anyStarted)
                .sorted(Comparator.comparingInt(ProcessRuntimes::number)).toList();
    }

    private static int number(FoundRuntime found) {
        ManagedRuntime runtime = found.runtime();
        return runtime == null ? Integer.MAX_VALUE : runtime.id().number();
    }

    /** What is loaded into a runtime and how it is set; empty for a runtime that has no inventory. */
    public Optional<VmInventory> inventory(ManagedRuntime runtime) {
        return runtime instanceof HotSpot vm ? Optional.of(vm.inventory(memory::forget)) : Optional.empty();
    }

    /** Forgets what was read of the process's memory, so that it is seen as it is now. */
    public void forgetMemory() {
        memory.forget();
    }

    /** Its mapped files. */
    public NativeCode code() {
        return code;
    }

    /** Its memory, with what was read since it was last forgotten. */
    PagedMemory memory() {
        return memory;
    }
}
