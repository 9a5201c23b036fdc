package mayfly.unwind;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.arch.Architecture;
import mayfly.arch.InstructionSet;
import mayfly.binary.elf.ElfFile;
import mayfly.process.Mapping;
import mayfly.process.MemoryFault;
import mayfly.process.TargetProcess;
import mayfly.profile.column.PcMap;
import mayfly.runtime.CodeRanges;
import org.jspecify.annotations.Nullable;

/**
 * The code of a process: its executable mappings and their files.
 *
 * <p>If an address is not found, the mappings are read again, at most once between two calls of {@link #newEpoch()}, so
 * that invalid addresses are cheap. Confined to one thread.
 */
public final class NativeCode implements CodeRanges {
    /** Upper bound on the cached return addresses, at which the cache is emptied. Programs use fewer. */
    private static final int MAX_SITES = 1 << 20;

    /** Upper bound on the recorded file names. Programs map fewer files; further files are reported by their paths. */
    private static final int MAX_NAMES = 1 << 12;

    private final TargetProcess process;
    private final PcMap<Boolean> returns = new PcMap<>(MAX_SITES);
    private final InstructionSet instructions;
    private final byte[] before;
    private List<NativeModule> modules = List.of();
    /** For each name, the id of the file that is reported by it. */
    private final Map<String, String> named = new HashMap<>();
    /** Executable ranges by address, with the module of each; null for anonymous memory. */
    private long[] starts = new long[0];

    private long[] ends = new long[0];
    private @Nullable NativeModule[] owners = new NativeModule[0];
    private int last;
    private boolean mayRefresh;
    private int generation;
    private int readings;

    private NativeCode(TargetProcess process) {
        this.process = process;
        this.instructions = process.architecture().instructions();
        this.before = new byte[instructions.longestCall()];
    }

    /**
     * Reads the mappings of a process.
     *
     * @throws IOException if the process has ended, or its mappings cannot be read
     */
    public static NativeCode of(TargetProcess process) throws IOException {
        NativeCode code = new NativeCode(process);
        code.refresh();
        return code;
    }

    /** Begins a new epoch: an unknown address may cause the mappings to be read again. */
    public void newEpoch() {
        mayRefresh = true;
    }

    /**
     * Reads the mappings again. Modules that still exist keep their objects.
     *
     * @throws IOException if the process has ended, or its mappings cannot be read
     */
    public void refresh() throws IOException {
        mayRefresh = false;
        readings++;
        List<Mapping> mappings = process.mappings();
        List<NativeModule> found = Modules.in(process, mappings);
        boolean lost = !modules.isEmpty();
        List<NativeModule> kept = new ArrayList<>();
        int survivors = 0;
        for (NativeModule module : found) {
            NativeModule old = known(module);
            if (old == null) {
                kept.add(module);
            } else {
                old.update(module);
                kept.add(old);
                survivors++;
            }
        }
        lost &= survivors < modules.size();
        kept.forEach(this::distinguish);
        modules = List.copyOf(kept);
        index(mappings);
        if (lost) {
            generation++;
            returns.clear();
        }
    }

    /**
     * Reports a module by its path if another file has the same name, because a frame contains only the name of its
     * file. The file that was mapped first keeps the name, even after it is unmapped, because frames with this name
     * have been recorded.
     */
    private void distinguish(NativeModule module) {
        if (named.size() < MAX_NAMES) {
            named.putIfAbsent(module.name(), module.fileId());
        }
        if (!module.fileId().equals(named.get(module.name()))) {
            module.useWholePath();
        }
    }

    private @Nullable NativeModule known(NativeModule module) {
        for (NativeModule old : modules) {
            if (old.isSameAs(module)) {
                return old;
            }
        }
        return null;
    }

    private void index(List<Mapping> mappings) {
        // The address of [vsyscall] has the top bit set. Its code makes no calls and cannot be read.
        List<Mapping> code =
                mappings.stream().filter(m -> m.executable() && m.start() >= 0).toList();
        int n = code.size();
        starts = new long[n];
        ends = new long[n];
        owners = new NativeModule[n];
        last = 0;
        for (int i = 0; i < n; i++) {
            Mapping mapping = code.get(i);
            starts[i] = mapping.start();
            ends[i] = mapping.end();
            for (NativeModule module : modules) {
                if (module.contains(mapping)) {
                    owners[i] = module;
                }
            }
        }
    }

    /** Returns the CPU that the code is for. */
    public Architecture architecture() {
        return process.architecture();
    }

    /** Returns the files that have code in the process, by address. */
    public List<NativeModule> modules() {
        return modules;
    }

    /** Returns the file whose code contains an address, or null if there is none. */
    public @Nullable NativeModule moduleAt(long address) {
        int i = range(address);
        return i < 0 ? null : owners[i];
    }

    /** Returns a number that changes when a module is unmapped. Cached data on addresses is then invalid. */
    int generation() {
        return generation;
    }

    /** Returns the number of times the mappings were read. */
    int readings() {
        return readings;
    }

    @Override
    public boolean isCode(long address) {
        return range(address) >= 0;
    }

    private int range(long address) {
        int i = last;
        if (i < starts.length && address >= starts[i] && address < ends[i]) {
            return i;
        }
        i = search(address);
        if (i < 0 && mayRefresh && address > 0) {
            try {
                refresh();
                i = search(address);
            } catch (IOException e) {
                // The process is ending: the known mappings remain.
                mayRefresh = false;
            }
        }
        if (i >= 0) {
            last = i;
        }
        return i;
    }

    private int search(long address) {
        int low = 0;
        int high = starts.length - 1;
        while (low <= high) {
            int middle = low + high >>> 1;
            if (address < starts[middle]) {
                high = middle - 1;
            } else if (address >= ends[middle]) {
                low = middle + 1;
            } else {
                return middle;
            }
        }
        return -1;
    }

    @Override
    public boolean mayReturnTo(long address) {
        int i = range(address);
        if (i < 0) {
            return false;
        }
        NativeModule module = owners[i];
        if (module == null) {
            // Generated code may change at any time, so the result is not cached.
            return callBefore(null, address);
        }
        Boolean known = returns.get(address);
        if (known == null) {
            known = callBefore(module, address);
            returns.put(address, known);
        }
        return known;
    }

    private boolean callBefore(@Nullable NativeModule module, long address) {
        return !read(module, address - before.length, before) || instructions.callEndsAt(before, before.length);
    }

    /** Reads code, from the file if there is one. Returns false if it cannot be read completely. */
    boolean read(@Nullable NativeModule module, long address, byte[] to) {
        ElfFile elf = module == null ? null : module.elf();
        if (module != null && elf != null && elf.read(module.vaddr(address), to) == to.length) {
            return true;
        }
        try {
            process.memory().read(address, to, 0, to.length);
            return true;
        } catch (MemoryFault e) {
            return false;
        }
    }
}
