package mayfly.linux.perf;

import java.io.IOException;
import java.util.OptionalInt;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.sys.Fd;
import mayfly.process.Mapping;

/**
 * An instruction of a file at which the kernel samples each thread that is about to execute it. While an event for it
 * is open, the page with the instruction is a private copy in each process that has such an event, with a breakpoint.
 *
 * @param file the open file, which need not be readable
 * @param mapping the mapping of the file that contains the instruction
 * @param address the address of the instruction in the process
 */
public record Uprobe(Fd file, Mapping mapping, long address) {
    private static final String TYPE = "/sys/bus/event_source/devices/uprobe/type";
    private static final int MAX_TYPE = 64;

    /** Returns the type of the kernel's events for uprobes; empty if it has none: they need CONFIG_UPROBE_EVENTS. */
    static OptionalInt type() {
        try {
            return OptionalInt.of(Integer.parseInt(ProcFile.text(TYPE, MAX_TYPE).strip()));
        } catch (IOException | NumberFormatException e) {
            return OptionalInt.empty();
        }
    }

    /** Returns the offset of the instruction in the file. */
    long offset() {
        return mapping.inFile(address);
    }

    /** Returns true if another uprobe is on the same instruction of the same file, in another mapping of it. */
    boolean isSameAs(Uprobe other) {
        return offset() == other.offset()
                && mapping.inode() == other.mapping.inode()
                && mapping.device().equals(other.mapping.device());
    }

    /** Returns the path by which the kernel finds the file. */
    String path() {
        return file.path();
    }
}
