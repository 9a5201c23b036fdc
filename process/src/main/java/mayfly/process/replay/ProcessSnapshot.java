package mayfly.process.replay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.arch.Architecture;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import org.jspecify.annotations.Nullable;

/**
 * The recorded parts of a process: collected while it is recorded, or read from files. Confined to one thread.
 */
public final class ProcessSnapshot {
    private final Architecture architecture;
    private final MemoryBlocks memory = new MemoryBlocks();
    private final List<RecordedFile> files = new ArrayList<>();
    /** In the order of the library's symbol table. If two names have the same address, the first takes precedence. */
    private final Map<String, Long> symbols = new LinkedHashMap<>();

    private final Map<String, String> names = new LinkedHashMap<>();
    private int pid;
    private List<Mapping> mappings = List.of();
    private @Nullable RecordedWalk walk;

    /** Creates an empty snapshot of a process on the given CPU. */
    public ProcessSnapshot(Architecture architecture) {
        this.architecture = architecture;
    }

    /** Returns the process's CPU. */
    public Architecture architecture() {
        return architecture;
    }

    /** Returns a memory that reads from the given one and adds all reads to this snapshot. */
    public SnapshotMemory record(Memory source) {
        return new SnapshotMemory(source, memory);
    }

    public void pid(int value) {
        pid = value;
    }

    public void mappings(List<Mapping> list) {
        mappings = List.copyOf(list);
    }

    /** Adds a file. Replaces an earlier record of the same file. */
    public void file(RecordedFile file) {
        files.removeIf(old -> old.inode() == file.inode() && old.device().equals(file.device()));
        files.add(file);
    }

    /** Adds the address of a symbol of the runtime's library in the process; 0 if the symbol does not exist. */
    public void symbol(String name, long address) {
        symbols.put(name, address);
    }

    /** Adds the name of the function at an address of a file, for human readers. */
    public void name(String library, long address, String function) {
        names.put(key(library, address), function);
    }

    public void walk(RecordedWalk start) {
        walk = start;
    }

    public int pid() {
        return pid;
    }

    public List<Mapping> mappings() {
        return mappings;
    }

    /** Returns the addresses of the recorded symbols; 0 for a symbol that does not exist. */
    public Map<String, Long> symbols() {
        return symbols;
    }

    /** Returns the recorded name for an address of a file, or an empty string if there is none. */
    public String nameOf(String library, long address) {
        return names.getOrDefault(key(library, address), "");
    }

    /** Returns the start of the recorded walk, or null if there is none. */
    public @Nullable RecordedWalk walk() {
        return walk;
    }

    Map<String, String> names() {
        return names;
    }

    List<RecordedFile> files() {
        return files;
    }

    MemoryBlocks memory() {
        return memory;
    }

    /**
     * Returns a copy without the mappings, symbols and blocks of memory that are the same in a base snapshot. To
     * restore this snapshot, read the base and then the copy.
     */
    public ProcessSnapshot over(ProcessSnapshot base) {
        ProcessSnapshot rest = new ProcessSnapshot(architecture);
        rest.pid = pid;
        rest.mappings = mappings.equals(base.mappings) ? List.of() : mappings;
        rest.files.addAll(files);
        rest.names.putAll(names);
        rest.walk = walk;
        symbols.forEach((name, address) -> {
            if (!address.equals(base.symbols.get(name))) {
                rest.symbols.put(name, address);
            }
        });
        memory.blocks().forEach((number, block) -> {
            if (!Arrays.equals(block, base.memory.blocks().get(number))) {
                rest.memory.put(number, block);
            }
        });
        memory.faults().forEach(rest.memory::putFault);
        return rest;
    }

    /**
     * Returns the common part of several snapshots of one process, as a base for {@link #over}: all symbols, and for
     * each block the most frequent content, if at least two snapshots share it or there is only one snapshot.
     *
     * @param snapshots at least one
     */
    public static ProcessSnapshot common(List<ProcessSnapshot> snapshots) {
        ProcessSnapshot common = new ProcessSnapshot(snapshots.getFirst().architecture);
        Map<Long, Map<ByteBuffer, Integer>> votes = new TreeMap<>();
        for (ProcessSnapshot snapshot : snapshots) {
            common.pid = snapshot.pid;
            common.mappings = snapshot.mappings;
            common.symbols.putAll(snapshot.symbols);
            snapshot.memory
                    .blocks()
                    .forEach((number, block) -> votes.computeIfAbsent(number, n -> new HashMap<>())
                            .merge(ByteBuffer.wrap(block), 1, Integer::sum));
        }
        votes.forEach((number, blocks) -> {
            Map.Entry<ByteBuffer, Integer> most = Collections.max(blocks.entrySet(), Map.Entry.comparingByValue());
            if (most.getValue() > 1 || snapshots.size() == 1) {
                common.memory.put(number, most.getKey().array());
            }
        });
        return common;
    }

    private static String key(String library, long address) {
        return library + "+0x" + Long.toHexString(address);
    }
}
