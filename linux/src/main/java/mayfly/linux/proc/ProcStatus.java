package mayfly.linux.proc;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/**
 * The relevant fields of /proc/PID/status, see proc_pid_status(5).
 *
 * @param name the name (comm), untrusted text
 * @param state the kernel's letter
 * @param processId the process id (Tgid), also for a thread
 * @param tracerPid the id of the tracing thread (ptrace(2)), 0 for none
 * @param uid the real user id
 * @param euid the effective user id
 * @param egid the effective group id
 * @param threads the number of threads
 * @param namespacePids the ids, from the reader's pid namespace to the innermost
 * @param effectiveCapabilities bit set, see capabilities(7)
 * @param blockedSignals bit set (signal 1 is bit 0) of the signals that this thread blocks
 * @param ignoredSignals bit set of the ignored signals
 * @param caughtSignals bit set of the signals with handlers
 * @param seccomp 0 none, 1 strict, 2 filter, see seccomp(2)
 */
public record ProcStatus(
        String name,
        char state,
        int processId,
        int tracerPid,
        int uid,
        int euid,
        int egid,
        int threads,
        List<Integer> namespacePids,
        long effectiveCapabilities,
        long blockedSignals,
        long ignoredSignals,
        long caughtSignals,
        int seccomp) {
    /** The session id of the kernel's audit for processes that belong to no login: (unsigned int) -1. */
    private static final String NO_LOGIN = "4294967295";
    /** Upper bound on the numbers of one field: pid namespaces nest at most 32 deep. */
    private static final int MAX_NUMBERS = 64;

    public ProcStatus {
        namespacePids = List.copyOf(namespacePids);
    }

    /**
     * Returns the real user id of a process, from its directory in /proc, even if its other files may not be read; -1
     * for a kernel thread or a zombie, which run no program.
     *
     * @throws IOException if the file cannot be read
     */
    public static int realUserOf(Path proc) throws IOException {
        String text = ProcFile.text(proc.resolve("status").toString(), 1 << 16);
        return text.contains("\nVmSize:") ? parse(text).uid() : -1;
    }

    /**
     * Returns the session of a process, from its directory in /proc: its number in each pid namespace from the
     * reader's inward, 0 where the session began outside. Empty for a process that runs no program.
     *
     * @throws IOException if the file cannot be read
     */
    public static String sessionOf(Path proc) throws IOException {
        String text = ProcFile.text(proc.resolve("status").toString(), 1 << 16);
        String session = text.lines()
                .filter(line -> line.startsWith("NSsid:"))
                .findFirst()
                .orElse("")
                .replaceFirst("NSsid:\\s*", "");
        return text.contains("\nVmSize:") ? session : "";
    }

    /**
     * Returns the id of the login to which a process belongs, from its directory in /proc: the kernel's audit gives one
     * to each login, and a process keeps it even if it changes its user and its session. Empty for a process that
     * belongs to no login or runs no program, and if the kernel has no audit.
     *
     * @throws IOException if the process has ended
     */
    public static String loginOf(Path proc) throws IOException {
        if (realUserOf(proc) < 0) {
            return "";
        }
        try {
            String login = ProcFile.line(proc.resolve("sessionid").toString());
            return login.equals(NO_LOGIN) ? "" : login;
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Returns the id of the tracing thread in a text of this file, 0 for none: faster than parsing the whole text. */
    public static int tracerOf(String text) {
        return first(text, "TracerPid");
    }

    /**
     * Parses the file. A missing or malformed field is -1 for a user or group id, 0 for another number, '?' for the
     * state, and empty for the name and for the list of ids.
     */
    public static ProcStatus parse(String text) {
        String state = field(text, "State");
        List<Integer> uids = numbers(text, "Uid");
        List<Integer> gids = numbers(text, "Gid");
        return new ProcStatus(
                field(text, "Name"),
                state.isEmpty() ? '?' : state.charAt(0),
                first(text, "Tgid"),
                first(text, "TracerPid"),
                uids.isEmpty() ? -1 : uids.getFirst(),
                uids.size() < 2 ? -1 : uids.get(1),
                gids.size() < 2 ? -1 : gids.get(1),
                first(text, "Threads"),
                numbers(text, "NSpid"),
                bits(text, "CapEff"),
                bits(text, "SigBlk"),
                bits(text, "SigIgn"),
                bits(text, "SigCgt"),
                first(text, "Seccomp"));
    }

    /** Returns true if there is a handler for a signal. */
    public boolean catches(int signal) {
        return (caughtSignals >>> (signal - 1) & 1) != 0;
    }

    /**
     * Returns the value of a field, from the first line that begins with its key; empty if there is none. A dump of all
     * threads parses this file for each of them, so the text is searched rather than split.
     */
    private static String field(String text, String key) {
        int line = text.startsWith(key + ':') ? 0 : text.indexOf('\n' + key + ':');
        if (line < 0) {
            return "";
        }
        int value = text.indexOf(':', line) + 1;
        int end = text.indexOf('\n', value);
        return text.substring(value, end < 0 ? text.length() : end).strip();
    }

    private static int first(String text, String key) {
        List<Integer> numbers = numbers(text, key);
        return numbers.isEmpty() ? 0 : numbers.getFirst();
    }

    private static List<Integer> numbers(String text, String key) {
        List<Integer> found = new ArrayList<>();
        StringTokenizer words = new StringTokenizer(field(text, key));
        while (words.hasMoreTokens() && found.size() < MAX_NUMBERS) {
            try {
                found.add(Integer.parseUnsignedInt(words.nextToken()));
            } catch (NumberFormatException e) {
                break;
            }
        }
        return found;
    }

    private static long bits(String text, String key) {
        String hex = field(text, key);
        try {
            return hex.isEmpty() ? 0 : Long.parseUnsignedLong(hex, 16);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
