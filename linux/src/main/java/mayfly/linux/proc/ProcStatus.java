package mayfly.linux.proc;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What matters of /proc/PID/status, see proc_pid_status(5).
 *
 * @param name its name (comm), untrusted text
 * @param state the kernel's letter
 * @param processId its process's id (Tgid), also if this is about a thread
 * @param tracerPid the thread that traces it with ptrace(2), 0 for none
 * @param uid real user id
 * @param euid effective user id
 * @param threads number of threads
 * @param namespacePids its ids, from the reader's pid namespace to its own
 * @param effectiveCapabilities bit set, see capabilities(7)
 * @param blockedSignals bit set (signal 1 is bit 0): which do not reach the thread that this is about
 * @param ignoredSignals bit set: which it ignores
 * @param caughtSignals bit set: for which it has handlers of its own
 * @param seccomp 0 none, 1 strict, 2 filter, see seccomp(2)
 */
public record ProcStatus(String name, char state, int processId, int tracerPid, int uid, int euid, int threads,
                     List<Integer> namespacePids, long effectiveCapabilities, long blockedSignals, long ignoredSignals,
                     long caughtSignals, int seccomp) {

    public ProcStatus {
        namespacePids = List.copyOf(namespacePids);
    }

    /**
     * The real user id of a process, by its directory in /proc, whether or not it may be read otherwise; -1 for one that
     * runs no program: of the kernel, or ended and not waited for yet.
     */
    public static int realUserOf(Path proc) throws IOException {
        String text = ProcFile.text(proc.resolve("status").toString(), 1 << 16);
        return text.contains("\nVmSize:") ? parse(text).uid() : -1;
    }

    /**
     * The session of a process, by its directory in /proc: its number in each pid namespace from the reader's inward, which
     * is 0 where the session began outside. Empty for a process that runs no program.
     */
    public static String sessionOf(Path proc) throws IOException {
        String text = ProcFile.text(proc.resolve("status").toString(), 1 << 16);
        String session = text.lines().filter(line -> line.startsWith("NSsid:")).findFirst().orElse("")
                .replaceFirst("NSsid:\\s*", "");
        return text.contains("\nVmSize:") ? session : "";
    }

    /** Absent or odd lines give 0, '?' or nothing. */
    public static ProcStatus parse(String text) {
        Map<String, String> lines = new HashMap<>();
        text.lines().limit(1000).forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                lines.putIfAbsent(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        String state = lines.getOrDefault("State", "?");
        List<Integer> uids = numbers(lines.getOrDefault("Uid", ""));
        return new ProcStatus(lines.getOrDefault("Name", ""), state.isEmpty() ? '?' : state.charAt(0),
                first(lines, "Tgid"), first(lines, "TracerPid"),
                uids.isEmpty() ? -1 : uids.getFirst(), uids.size() < 2 ? -1 : uids.get(1),
                first(lines, "Threads"), numbers(lines.getOrDefault("NSpid", "")),
                hex(lines.getOrDefault("CapEff", "0")), hex(lines.getOrDefault("SigBlk", "0")),
                hex(lines.getOrDefault("SigIgn", "0")), hex(lines.getOrDefault("SigCgt", "0")), first(lines, "Seccomp"));
    }

    /** Whether it has a handler for a signal. */
    public boolean catches(int signal) {
        return (caughtSignals >>> (signal - 1) & 1) != 0;
    }

    private static int first(Map<String, String> lines, String key) {
        List<Integer> numbers = numbers(lines.getOrDefault(key, ""));
        return numbers.isEmpty() ? 0 : numbers.getFirst();
    }

    private static List<Integer> numbers(String text) {
        List<Integer> found = new ArrayList<>();
        for (String word : text.split("\\s+", 64)) {
            try {
                found.add(Integer.parseUnsignedInt(word));
            } catch (NumberFormatException e) {
                break;
            }
        }
        return found;
    }

    private static long hex(String text) {
        try {
            return Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
