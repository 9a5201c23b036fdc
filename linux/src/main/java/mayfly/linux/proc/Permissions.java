package mayfly.linux.proc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.sys.ResourceLimit;

/**
 * The permissions of this process according to the kernel's settings. {@code Probe} tests the operations themselves.
 *
 * @param perfEventParanoid kernel.perf_event_paranoid, see perf_event_open(2)
 * @param maxSampleRate kernel.perf_event_max_sample_rate, Hz
 * @param mlockKilobytes kernel.perf_event_mlock_kb, for each CPU and user
 * @param ptraceScope kernel.yama.ptrace_scope, -1 without Yama
 * @param kptrRestrict kernel.kptr_restrict
 * @param euid effective user id
 * @param capabilities effective capabilities, see capabilities(7)
 * @param openFiles soft limit of open files
 * @param openFilesMost hard limit of open files
 * @param lockedBytes soft limit of locked memory, -1 for none
 * @param cpus CPUs online
 * @param kernel release of the kernel
 * @param seccompFilter true if a filter is active that may refuse system calls, see seccomp(2), as in containers
 * @param userNamespace true if this is not the initial user namespace; capabilities then apply only within it
 * @param readOnlySettings true if the settings below /proc/sys are mounted read-only, as in containers
 */
public record Permissions(
        long perfEventParanoid,
        long maxSampleRate,
        long mlockKilobytes,
        long ptraceScope,
        long kptrRestrict,
        int euid,
        long capabilities,
        long openFiles,
        long openFilesMost,
        long lockedBytes,
        int cpus,
        String kernel,
        boolean seccompFilter,
        boolean userNamespace,
        boolean readOnlySettings) {

    /** The mapping of the initial user namespace, see user_namespaces(7). */
    private static final String ALL_USERS = "0 +0 +4294967295";

    /** The relevant capabilities; numbers of linux/capability.h. */
    public enum Capability {
        SYS_PTRACE(19),
        SYS_ADMIN(21),
        PERFMON(38),
        BPF(39),
        CHECKPOINT_RESTORE(40);

        public final int number;

        Capability(int number) {
            this.number = number;
        }
    }

    /**
     * Reads the permissions. A setting that this kernel does not have is -1.
     *
     * @throws IOException if a file of proc(5) cannot be read
     */
    public static Permissions read() throws IOException {
        ProcStatus self = ProcStatus.parse(ProcFile.text("/proc/self/status", 1 << 16));
        String sys = "/proc/sys/kernel/";
        return new Permissions(
                ProcFile.number(sys + "perf_event_paranoid", -1),
                ProcFile.number(sys + "perf_event_max_sample_rate", -1),
                ProcFile.number(sys + "perf_event_mlock_kb", -1),
                ProcFile.number(sys + "yama/ptrace_scope", -1),
                ProcFile.number(sys + "kptr_restrict", -1),
                self.euid(),
                self.effectiveCapabilities(),
                ResourceLimit.NOFILE.soft(),
                ResourceLimit.NOFILE.hard(),
                ResourceLimit.MEMLOCK.soft(),
                OnlineCpus.read().length,
                ProcFile.line(sys + "osrelease"),
                self.seccomp() != 0,
                !ProcFile.line("/proc/self/uid_map").strip().matches(ALL_USERS),
                isReadOnly(sys));
    }

    /** Returns true if a directory is on a file system mounted read-only; false if that cannot be determined. */
    private static boolean isReadOnly(String directory) {
        try {
            return Files.getFileStore(Path.of(directory)).isReadOnly();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns true if this process probably runs in a container: it cannot change settings, or is root without all
     * capabilities.
     */
    public boolean inContainer() {
        boolean all = has(Capability.SYS_PTRACE) && has(Capability.PERFMON) && !userNamespace;
        return readOnlySettings || euid == 0 && !all;
    }

    public boolean has(Capability capability) {
        return (capabilities >>> capability.number & 1) != 0;
    }

    /** Returns the settings that may forbid perf events, with their values: a clause for an error message. */
    public String perfSettings() {
        return String.join(", ", settings("kernel.perf_event_paranoid is " + perfEventParanoid));
    }

    /**
     * Returns the settings that may forbid reading a process, with their values: a clause for an error message; empty
     * if there are none.
     */
    public String ptraceSettings() {
        return String.join(", ", settings(ptraceScope < 0 ? "" : "kernel.yama.ptrace_scope is " + ptraceScope));
    }

    private List<String> settings(String first) {
        List<String> all = new ArrayList<>();
        if (!first.isEmpty()) {
            all.add(first);
        }
        if (seccompFilter) {
            all.add("a seccomp filter is in force");
        }
        if (userNamespace) {
            all.add("this is not the initial user namespace");
        }
        return all;
    }
}
