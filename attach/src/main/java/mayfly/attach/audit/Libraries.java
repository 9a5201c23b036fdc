package mayfly.attach.audit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.binary.BadFormat;
import mayfly.binary.elf.ElfFile;
import mayfly.binary.elf.ElfSymbols;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/** The files that have code in a process, by address. */
final class Libraries {
    private static final String[] AGENT_FUNCTIONS = {"Agent_OnLoad", "Agent_OnAttach"};

    private final LiveProcess process;
    private final List<Library> all = new ArrayList<>();

    /**
     * One of them.
     *
     * @param code its executable mapping
     * @param start where its first mapping begins
     */
    record Library(Mapping code, long start) {
        String path() {
            return code.path();
        }

        /** The last part of its path, without what the kernel says of a file that has no name any more. */
        String name() {
            String bare = code.isDeleted() ? path().substring(0, path().lastIndexOf(" (deleted)")) : path();
            return bare.substring(bare.lastIndexOf('/') + 1);
        }
    }

    /** A file with its symbols, and what to add to their addresses in the process. */
    record Symbols(ElfSymbols of, long bias) {
    }

    Libraries(LiveProcess process, List<Mapping> mappings) {
        this.process = process;
        long start = 0;
        Mapping last = null;
        for (Mapping mapping : mappings) {
            if (!mapping.isFile()) {
                continue;
            }
            if (last == null || !isSame(last, mapping) || mapping.offset() <= last.offset()) {
                start = mapping.start();
            }
            last = mapping;
            if (mapping.executable()) {
                all.add(new Library(mapping, start));
            }
        }
    }

    private static boolean isSame(Mapping one, Mapping other) {
        return one.inode() == other.inode() && one.device().equals(other.device()) && one.path().equals(other.path());
    }

    List<Library> all() {
        return all;
    }

    /** The one that an address is code of, null if it is code of none. */
    @Nullable Library at(long address) {
        for (Library library : all) {
            if (library.code.contains(address)) {
                return library;
            }
        }
        return null;
    }

    /** The symbols of one, those of the very file that is mapped. */
    Symbols symbols(Library library) throws IOException, BadFormat {
        ElfFile file = ElfFile.parse(library.name(), process.file(library.code));
        long vaddr = file.vaddrOf(library.code.offset(), true);
        if (vaddr < 0) {
            throw new BadFormat(library.name(), library.code.offset(), "mapped as code, but not loaded by its headers");
        }
        return new Symbols(file.symbols(), library.code.start() - vaddr);
    }

    /** What of an agent it exports: the function that the JVM calls, in words; empty if it is no agent's. */
    String agentFunctions(Library library) throws IOException, BadFormat {
        ElfSymbols symbols = symbols(library).of();
        List<String> found = new ArrayList<>();
        for (String name : AGENT_FUNCTIONS) {
            if (symbols.addressOf(name).isPresent()) {
                found.add(name);
            }
        }
        return String.join(", ", found);
    }
}
