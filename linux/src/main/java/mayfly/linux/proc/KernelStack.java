package mayfly.linux.proc;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of one /proc/PID/task/TID/stack, see proc_pid_stack(5): the functions of the kernel in which a blocked
 * thread waits. Only root may read it.
 */
public final class KernelStack {
    private static final int MAX_BYTES = 1 << 14;
    private static final int MAX_FUNCTIONS = 64;

    /**
     * A function on the stack.
     *
     * @param name its name
     * @param offset the offset of the return address in it, in bytes
     */
    public record Function(String name, int offset) {}

    private KernelStack() {}

    /**
     * Returns the functions, innermost first; none if the thread runs or the file may not be read.
     *
     * @param process the directory of the process in /proc
     */
    public static List<Function> read(String process, int tid) {
        try {
            return parse(ProcFile.text(process + "/task/" + tid + "/stack", MAX_BYTES));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns true if the file of a thread may be read. */
    public static boolean isReadable(String process, int tid) {
        try {
            ProcFile.text(process + "/task/" + tid + "/stack", MAX_BYTES);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Parses lines such as {@code [<0>] futex_wait+0x6f/0x110}. Lines of another form are left out. */
    static List<Function> parse(String text) {
        List<Function> functions = new ArrayList<>();
        for (String line : text.split("\n", MAX_FUNCTIONS + 1)) {
            int from = line.indexOf("] ");
            int plus = line.indexOf("+0x");
            int slash = line.indexOf('/', Math.max(plus, 0));
            if (line.startsWith("[<")
                    && from > 0
                    && plus > from + 2
                    && slash > plus
                    && functions.size() < MAX_FUNCTIONS) {
                try {
                    int offset = Integer.parseInt(line, plus + 3, slash, 16);
                    functions.add(new Function(line.substring(from + 2, plus), offset));
                } catch (NumberFormatException e) {
                    continue; // not an offset
                }
            }
        }
        return functions;
    }
}
