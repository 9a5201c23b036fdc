package mayfly.discovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.HotSpotLoader;
import mayfly.hotspot.inventory.JvmtiState;
import mayfly.hotspot.inventory.VmInventory;
import mayfly.linux.LiveProcess;
import mayfly.process.KernelThreads;
import mayfly.process.PagedMemory;
import mayfly.process.TargetProcess;
import mayfly.profile.RuntimeId;
import mayfly.runtime.Examination;
import mayfly.runtime.ExaminedLibrary;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.RuntimeLoader;
import mayfly.runtime.RuntimeProblem;
import mayfly.runtime.RuntimeStart;
import mayfly.unwind.Musl;
import mayfly.unwind.NativeCode;
import mayfly.unwind.NativeModule;

/**
 * The modules and the runtimes of a process. This is the only class that finds and numbers runtimes. Confined to one
 * thread.
 *
 * <p>A runtime is found by its mapped library. Its id is its rank among the runtimes of all kinds that were started in
 * the process, by {@link RuntimeStart}, and does not change for the life of the process. A library in which no runtime
 * was started has no id.
 */
public final class ProcessRuntimes {
    /** One loader for each kind of runtime. */
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
     * Reads the mappings of a process, without its runtimes.
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
     * Reads the mappings and the runtimes of a process.
     *
     * @throws IOException if the process has ended, or its mappings or threads may not be read
     */
    public static ProcessRuntimes read(LiveProcess process) throws IOException {
        ProcessRuntimes all = of(process);
        all.open(process);
        return all;
    }

    /** Returns true if a file of this name is the library of a runtime. */
    public static boolean isLibrary(String fileName) {
        return LOADERS.stream().anyMatch(loader -> loader.isLibrary(fileName));
    }

    /** Returns the mapped libraries of runtimes, by address, including those in which no runtime was started. */
    public List<NativeModule> libraries() {
        return code.modules().stream()
                .filter(module -> loaders.stream().anyMatch(loader -> loader.isLibrary(module.name())))
                .toList();
    }

    /**
     * Opens the runtimes in the mapped libraries. Runtimes that were opened before remain the same objects.
     *
     * @param threads the threads of the process
     * @return true if there are more runtimes than before
     * @throws IOException if the process has ended, or its threads cannot be listed
     */
    public boolean open(KernelThreads threads) throws IOException {
        List<ExaminedLibrary> examined = new ArrayList<>();
        List<RuntimeStart> starts = new ArrayList<>();
        for (RuntimeLoader loader : loaders) {
            List<MappedModule> libraries = code.modules().stream()
                    .filter(module -> loader.isLibrary(module.name()))
                    .map(MappedModule::new)
                    .toList();
            Examination its = loader.examine(code.architecture(), memory, libraries, runtimes, threads);
            examined.addAll(its.libraries());
            starts.addAll(its.others());
        }
        examined.stream().map(ExaminedLibrary::start).filter(Objects::nonNull).forEach(starts::add);
        Collections.sort(starts);
        List<FoundRuntime> now = new ArrayList<>();
        for (ExaminedLibrary library : examined) {
            RuntimeStart start = library.start();
            now.add(library.open(start == null ? null : new RuntimeId(starts.indexOf(start) + 1)));
        }
        found = List.copyOf(unlessRefused(now));
        return addOpened();
    }

    private boolean addOpened() {
        List<ManagedRuntime> opened = new ArrayList<>(runtimes);
        for (FoundRuntime each : found) {
            ManagedRuntime runtime = each.runtime();
            if (runtime != null && !opened.contains(runtime)) {
                opened.add(runtime);
            }
        }
        opened.sort(Comparator.comparingInt(runtime -> runtime.id().number()));
        boolean more = opened.size() > runtimes.size();
        runtimes = more ? List.copyOf(opened) : runtimes;
        return more;
    }

    private List<FoundRuntime> unlessRefused(List<FoundRuntime> opened) {
        return refusal()
                .map(problem ->
                        opened.stream().map(each -> refused(each, problem)).toList())
                .orElse(opened);
    }

    private static FoundRuntime refused(FoundRuntime found, RuntimeProblem problem) {
        ManagedRuntime runtime = found.runtime();
        return new FoundRuntime(
                found.module(),
                found.kind(),
                null,
                runtime == null ? problem : new RuntimeProblem(problem.reason(), problem.message(), runtime.version()),
                found.mayHaveStarted());
    }

    /**
     * Returns the reason why Mayfly reads no runtime of this process, whatever the kind of runtime; empty if there is
     * no such reason.
     */
    public Optional<RuntimeProblem> refusal() {
        return Musl.in(code.modules())
                .map(path -> new RuntimeProblem(
                        RuntimeProblem.Reason.OTHER_C_LIBRARY, "its C library is musl (" + path + ")", ""));
    }

    /** Returns the opened runtimes, by their ids, including those whose library has been unmapped since. */
    public List<ManagedRuntime> runtimes() {
        return runtimes;
    }

    /** Returns all libraries inspected by the last {@link #open}, with the runtimes in them. */
    List<FoundRuntime> found() {
        return found;
    }

    /**
     * Returns the runtimes of the last {@link #open}, by their ids. Unreadable ones come last, without an id. If other
     * libraries have a runtime, a library in which none was started is left out.
     */
    public List<FoundRuntime> present() {
        boolean anyStarted = found.stream().anyMatch(FoundRuntime::mayHaveStarted);
        return found.stream()
                .filter(each -> each.mayHaveStarted() || !anyStarted)
                .sorted(Comparator.comparingInt(ProcessRuntimes::number))
                .toList();
    }

    private static int number(FoundRuntime found) {
        ManagedRuntime runtime = found.runtime();
        return runtime == null ? Integer.MAX_VALUE : runtime.id().number();
    }

    /** Returns a runtime's inventory of loaded items and settings; empty for a runtime that has no inventory. */
    public Optional<VmInventory> inventory(ManagedRuntime runtime) {
        return runtime instanceof HotSpot vm ? Optional.of(vm.inventory(memory::forget)) : Optional.empty();
    }

    /**
     * Returns true if virtual threads of a runtime already have the lasting cost of JVMTI. Returns false if the runtime
     * does not show it, for example because its library is stripped.
     */
    public boolean hasSlowerVirtualThreads(ManagedRuntime runtime) {
        Optional<VmInventory> inventory = inventory(runtime);
        try {
            return inventory.isPresent() && inventory.get().jvmti().switchedOn().contains(JvmtiState.VIRTUAL_THREADS);
        } catch (VmInventory.Undetermined e) {
            return false;
        }
    }

    /** Discards the cached memory of the process, so that later reads return its current contents. */
    public void forgetMemory() {
        memory.forget();
    }

    /** Returns the mapped files of the process. */
    public NativeCode code() {
        return code;
    }

    /** Returns the memory of the process, cached since the last {@link #forgetMemory}. */
    PagedMemory memory() {
        return memory;
    }
}
