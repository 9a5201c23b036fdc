package mayfly.unwind;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.binary.BadFormat;
import mayfly.binary.dwarf.CallFrameInfo;
import mayfly.binary.elf.ElfFile;
import mayfly.binary.elf.ElfSymbols;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetProcess;
import mayfly.runtime.AddressRange;
import org.jspecify.annotations.Nullable;

/**
 * One loaded file: a sequence of its mappings. A file that is loaded twice is two modules.
 *
 * <p>The file is opened on first use. An error is recorded as {@link #problem()}. If the file is not accessible, the
 * loaded parts in the target's memory are read instead.
 */
public final class NativeModule {
    private static final String VDSO = "[vdso]";
    private static final int MAX_VDSO = 1 << 20;

    private final TargetProcess process;
    private List<Mapping> mappings;
    private final Mapping code;
    private String library;
    private boolean opened;
    private String problem = "";
    private @Nullable ElfFile elf;
    private @Nullable CallFrameInfo frames;
    private @Nullable ElfSymbols symbols;
    private long bias;

    NativeModule(TargetProcess process, List<Mapping> mappings) {
        this.process = process;
        this.mappings = List.copyOf(mappings);
        this.code = mappings.stream().filter(Mapping::executable).findFirst().orElseThrow();
        this.library = name();
    }

    static boolean isVdso(Mapping mapping) {
        return mapping.path().equals(VDSO);
    }

    /** Returns the file's path in the target's own file system, or {@code [vdso]}. */
    public String path() {
        return code.path();
    }

    /** Returns the path at the time at which the file was mapped: without the kernel's suffix for a deleted file. */
    public String originalPath() {
        return code.originalPath();
    }

    /** Returns the last part of {@link #originalPath()}. */
    public String name() {
        String path = originalPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** Returns true if the file has been removed or replaced since it was mapped. */
    public boolean isDeleted() {
        return code.isDeleted();
    }

    /** Returns true if it is a file, false for code that the kernel has mapped, such as the vdso. */
    public boolean isFile() {
        return code.isFile();
    }

    /**
     * Returns the name of the library in its frames: its {@link #name()}, or its {@link #path()} if another file in the
     * process has the same name.
     */
    public String library() {
        return library;
    }

    void useWholePath() {
        library = path();
    }

    /** Returns the device and inode of its file. */
    String fileId() {
        return code.device() + " " + code.inode();
    }

    /** Returns the first address of its first mapping. */
    public long start() {
        return mappings.getFirst().start();
    }

    /** Returns the first address after its last mapping. */
    public long end() {
        return mappings.getLast().end();
    }

    public List<Mapping> mappings() {
        return mappings;
    }

    /** Returns the file, or null if it is not accessible or readable: {@link #problem()} has the reason. */
    public @Nullable ElfFile elf() {
        open();
        return elf;
    }

    /** Returns the build id of its file in hexadecimal, empty if it has none or cannot be read. */
    public String buildId() {
        ElfFile file = elf();
        return file == null ? "" : file.buildId();
    }

    /** Returns the error that occurred when the file or a part of it was read, or an empty string. */
    public String problem() {
        return problem;
    }

    /**
     * Returns the difference between the target's addresses and the file's. Undefined if there is no {@link #elf()}.
     */
    public long bias() {
        open();
        return bias;
    }

    /** Converts an address of the target to one of the file. Undefined if there is no {@link #elf()}. */
    public long vaddr(long address) {
        return address - bias();
    }

    @Nullable
    CallFrameInfo frames() {
        open();
        return frames;
    }

    /**
     * Returns the function that contains an address of the target, by the call-frame information. Returns null if there
     * is none, or if it cannot be read.
     */
    public @Nullable AddressRange functionAt(long address) {
        CallFrameInfo info = frames();
        if (info == null) {
            return null;
        }
        try {
            long[] function = info.functionAt(vaddr(address));
            return function == null ? null : new AddressRange(function[0] + bias, function[1] + bias);
        } catch (BadFormat e) {
            note(e.getMessage());
            return null;
        }
    }

    /** Returns the symbols of its functions, from its debug file if it is stripped, or null if they cannot be read. */
    public @Nullable ElfSymbols symbols() {
        ElfFile file = elf();
        if (symbols == null && file != null) {
            try {
                ElfFile separate = separateSymbols(file);
                symbols = separate == null ? file.symbols() : file.symbolsFrom(separate);
            } catch (BadFormat e) {
                note(e.getMessage());
            }
        }
        return symbols;
    }

    /**
     * Returns those of the given functions that are in the symbol tables of the file itself; does not read its debug
     * file. Returns null if the file cannot be read: {@link #problem()} has the reason.
     */
    public @Nullable List<String> functionsOf(List<String> names) {
        ElfFile file = elf();
        if (file == null) {
            return null;
        }
        try {
            ElfSymbols own = file.symbols();
            return names.stream()
                    .filter(name -> own.addressOf(name).isPresent())
                    .toList();
        } catch (BadFormat e) {
            note(e.getMessage());
            return null;
        }
    }

    /**
     * Returns the file with the symbols that were removed from this file, null if they are in this file or not found.
     */
    private @Nullable ElfFile separateSymbols(ElfFile file) {
        if (!file.isStripped() || isVdso(code)) {
            return null;
        }
        try {
            return new DebugFile(process, path(), file).find();
        } catch (BadFormat e) {
            note(e.getMessage());
            return null;
        }
    }

    private void open() {
        if (opened) {
            return;
        }
        opened = true;
        try {
            ElfFile file = ElfFile.parse(name(), bytes(), process.architecture().elfMachine());
            long vaddr = file.vaddrOf(code.offset(), true);
            if (vaddr < 0) {
                throw new BadFormat(name(), code.offset(), "no program header covers the part that is mapped as code");
            }
            elf = file;
            bias = code.start() - vaddr;
            frames = CallFrameInfo.of(file, process.architecture().registers());
        } catch (BadFormat e) {
            note(e.getMessage());
        }
    }

    private MemorySegment bytes() throws BadFormat {
        try {
            return isVdso(code) ? vdso() : process.file(code);
        } catch (IOException e) {
            note(e.getMessage() == null ? e.toString() : e.getMessage());
            return LoadedImage.read(name(), process.memory(), start());
        }
    }

    private MemorySegment vdso() throws BadFormat {
        Memory memory = process.memory();
        byte[] pages = new byte[(int) Math.min(MAX_VDSO, code.end() - code.start())];
        try {
            memory.read(code.start(), pages, 0, pages.length);
            return MemorySegment.ofArray(pages);
        } catch (MemoryFault e) {
            throw new BadFormat(VDSO, 0, e.getMessage());
        }
    }

    private void note(@Nullable String what) {
        problem = problem.isEmpty() ? String.valueOf(what) : problem + "; " + what;
    }

    /** Returns true if two readings of the mappings describe the same module. */
    boolean isSameAs(NativeModule other) {
        return start() == other.start()
                && code.inode() == other.code.inode()
                && path().equals(other.path())
                && code.device().equals(other.code.device());
    }

    /**
     * Updates this module from a later reading of the mappings, because a change of protection changes their number.
     */
    void update(NativeModule later) {
        mappings = later.mappings;
    }

    boolean contains(Mapping mapping) {
        return mapping.start() >= start()
                && mapping.end() <= end()
                && mapping.path().equals(path());
    }

    @Override
    public String toString() {
        return path() + " at 0x" + Long.toHexString(start());
    }
}
