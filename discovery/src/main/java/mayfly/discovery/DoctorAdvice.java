package mayfly.discovery;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.linux.ProcessUnavailable.Owner;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.Permissions.Capability;

/**
 * Advice for a user whose access was denied. It depends on the privileges of this process: root is not advised to
 * become root, and the container is not named as the cause if all capabilities are held.
 *
 * @param permissions the permissions of this process
 * @param foreign true if the inspected process belongs to another user and this user may not inspect such processes;
 *     the machine's settings are then irrelevant
 */
record DoctorAdvice(Permissions permissions, boolean foreign) {
    private static final String CONTAINER = "in a container: docker run --cap-add PERFMON --cap-add SYS_PTRACE";

    /** The value of kernel.yama.ptrace_scope that forbids tracing even by root, and that cannot be lowered again. */
    private static final int NO_TRACING = 3;

    private static final String END_DEBUGGER = "if a debugger or strace is attached to the process, detach it";

    /** Advice for a process whose memory may not be read. */
    String forMemory() {
        return foreign ? forForeign() : lines(ptraceSetting(), container());
    }

    /** Advice for a process that may not be traced. */
    String forPtrace() {
        return foreign ? forForeign() : lines(END_DEBUGGER, ptraceSetting(), container());
    }

    /**
     * Advice for a process that may not be traced, in addition to {@link #forMemory}: only the lines that
     * {@code forMemory} lacks. A debugger is not the cause, because a debugger does not prevent others from reading the
     * memory.
     */
    String forPtraceBesideMemory() {
        List<String> said = forMemory().lines().toList();
        return forPtrace()
                .lines()
                .filter(line -> !said.contains(line) && !line.equals(END_DEBUGGER))
                .collect(Collectors.joining("\n"));
    }

    /** Advice for perf events of the threads of a process. */
    String forPerThread() {
        if (foreign) {
            return forForeign();
        }
        boolean isParanoid = permissions.perfEventParanoid() > 2 && !permissions.has(Capability.PERFMON);
        return lines(isParanoid ? set("kernel.perf_event_paranoid=2") : privilege(Capability.PERFMON), container());
    }

    /** Advice for perf events of all CPUs. */
    String forSystemWide() {
        return lines(
                permissions.euid() == 0 ? privilege(Capability.PERFMON) : "run Mayfly as root, or with CAP_PERFMON",
                container());
    }

    /** Advice for breakpoints by perf events. */
    String forUprobes() {
        return permissions.euid() == 0 ? privilege(Capability.SYS_ADMIN) : "run Mayfly as root, or with CAP_SYS_ADMIN";
    }

    /** Advice for a process that no collector may sample. */
    String forNoCollector() {
        return foreign ? forForeign() : lines(privilege(Capability.SYS_PTRACE), container());
    }

    private static String forForeign() {
        return "it belongs to another user: run Mayfly as that user, or as root";
    }

    /**
     * Advice for a process that may not be read because it has another owner, or more capabilities. In a container,
     * root may have no more rights to the process than other users, so the advice names the user and the options of
     * container engines.
     */
    String forOwner(Owner owner) {
        boolean isOwn = owner.uid() == permissions.euid();
        if (!permissions.inContainer()) {
            return isOwn ? "run Mayfly as root" : "run Mayfly as user " + owner.uid() + ", or as root";
        }
        return lines(
                "run Mayfly as user " + owner.uid() + " and group " + owner.gid()
                        + ", with no fewer capabilities than the JVM's container:",
                isOwn
                        ? "drop no capability that it has"
                        : "docker run --user " + owner.uid() + ":" + owner.gid()
                                + ", or runAsUser and runAsGroup in Kubernetes",
                "or as root with --cap-add SYS_PTRACE (kubectl debug --profile=general)");
    }

    private String ptraceSetting() {
        long scope = permissions.ptraceScope();
        return scope == NO_TRACING || scope > 0 && !permissions.has(Capability.SYS_PTRACE)
                ? forPtraceScope()
                : privilege(Capability.SYS_PTRACE);
    }

    /** Advice for a machine whose processes may not be traced because of the setting of Yama. */
    String forPtraceScope() {
        return permissions.ptraceScope() == NO_TRACING
                ? "kernel.yama.ptrace_scope stays 3 until the machine restarts: set it in /etc/sysctl.d and restart"
                : set("kernel.yama.ptrace_scope=0") + "; or use mayfly run";
    }

    /** Advice for a machine that permits too few samples per second. */
    String forSampleRate() {
        return set("kernel.perf_event_max_sample_rate=100000");
    }

    /** Returns the command that changes a setting. A container cannot change it: its /proc/sys is read-only. */
    private String set(String setting) {
        boolean root = permissions.euid() == 0;
        if (permissions.inContainer()) {
            return (root ? "on the host: " : "on the host, as root: ") + "sysctl " + setting;
        }
        return (root ? "" : "as root: ") + "sysctl " + setting;
    }

    private String privilege(Capability needed) {
        if (permissions.seccompFilter()) {
            return "change the seccomp filter so that it permits the refused call";
        }
        if (permissions.userNamespace()) {
            return "run Mayfly outside this user namespace, as root or as the process's user";
        }
        if (permissions.euid() != 0) {
            return "run Mayfly as root";
        }
        return permissions.has(needed)
                ? "root is refused too: a security module of the kernel protects the process"
                : "root lacks CAP_" + needed + " here";
    }

    private String container() {
        boolean all = permissions.has(Capability.SYS_PTRACE) && permissions.has(Capability.PERFMON);
        return all && !permissions.userNamespace() ? "" : CONTAINER;
    }

    private static String lines(String... lines) {
        return String.join(
                "\n", Arrays.stream(lines).filter(line -> !line.isEmpty()).toList());
    }
}
