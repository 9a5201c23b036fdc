package mayfly.discovery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import mayfly.discovery.Check.Level;
import mayfly.linux.LiveProcess;
import mayfly.linux.ProcessUnavailable;
import mayfly.linux.perf.Probe;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.Permissions.Capability;
import mayfly.linux.sys.Cpu;
import mayfly.runtime.ManagedRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Checks the preconditions for recording and reports those that are not met. The checks do not affect the process under
 * inspection.
 */
public final class Doctor {

    /** A permission that an event source needs, with the check that reports it. */
    public enum Need {
        /** The memory of the target may be read. */
        MEMORY("reading memory"),
        /** Perf events of all CPUs may be opened. */
        PERF_SYSTEM_WIDE("perf system-wide"),
        /** Perf events of the target's threads may be opened. */
        PERF_PER_THREAD("perf per thread"),
        /** The target's threads may be stopped. */
        PTRACE("ptrace"),
        /** Breakpoints may be placed in the target's code by perf events. */
        UPROBES("uprobes");

        private final String check;

        Need(String check) {
            this.check = check;
        }

        /** Returns the name of the check: see {@link Check#name}. */
        public String check() {
            return check;
        }
    }

    private final List<Check> checks = new ArrayList<>();
    private final Permissions permissions;
    private final int pid;
    private final boolean ourselves;
    private final DoctorAdvice advice;
    private boolean memoryRefused;

    private Doctor(Permissions permissions, @Nullable Integer pid) {
        this.permissions = permissions;
        this.pid = pid == null ? (int) ProcessHandle.current().pid() : pid;
        this.ourselves = pid == null;
        this.advice = new DoctorAdvice(
                permissions,
                permissions.euid() != 0
                        && !permissions.has(Capability.SYS_PTRACE)
                        && isForeign(this.pid, permissions.euid()));
    }

    /**
     * Runs all checks; a failed check does not stop the others.
     *
     * @param pid the process to be recorded; null checks the machine in general, with this process as the subject
     * @throws Refused if there is no such process
     */
    public static List<Check> checks(@Nullable Integer pid) throws Refused {
        if (pid != null) {
            requireProcess(pid);
        }
        try {
            var doctor = new Doctor(Permissions.read(), pid);
            doctor.machine();
            doctor.memory();
            boolean collector = doctor.systemWide() | doctor.perThread() | doctor.ptrace();
            if (!collector) {
                doctor.add("collectors", Level.FAILED, "none of them is permitted", doctor.advice.forNoCollector());
            }
            doctor.uprobes();
            doctor.limits();
            doctor.runtime();
            return List.copyOf(doctor.checks);
        } catch (IOException e) {
            return List.of(new Check("/proc", Level.FAILED, "cannot be read: " + Refusals.text(e), "mount /proc"));
        }
    }

    private static void requireProcess(int pid) throws Refused {
        try {
            LiveProcess.open(pid).close();
        } catch (ProcessUnavailable e) {
            switch (e.reason()) {
                case NOT_FOUND, NOT_A_PROCESS, ZOMBIE, FIRST_THREAD_ENDED, KERNEL_THREAD -> throw Refusals.of(e);
                case NOT_PERMITTED, SYSTEM -> {} // covered by the checks
            }
        }
    }

    private static boolean isForeign(int pid, int euid) {
        try {
            return !Objects.equals(Files.getAttribute(Path.of("/proc", Integer.toString(pid)), "unix:uid"), euid);
        } catch (IOException e) {
            return false;
        }
    }

    /** Adds a check. If an earlier check already has the same fix, the new check refers to the earlier one instead. */
    private void add(String name, Level level, String finding, String fix) {
        String first = fix.isEmpty()
                ? ""
                : checks.stream()
                        .filter(check ->
                                check.fix().equals(fix) && !check.name().equals(name))
                        .map(check -> "see the advice for: " + check.name())
                        .findFirst()
                        .orElse("");
        checks.add(new Check(name, level, finding, first.isEmpty() ? fix : first));
    }

    private void machine() {
        boolean known = Cpu.isSupported();
        add(
                "machine",
                known ? Level.OK : Level.FAILED,
                "Linux " + permissions.kernel() + ", " + System.getProperty("os.arch", "") + ", " + permissions.cpus()
                        + " CPUs",
                known ? "" : "only x86-64 is supported");
        add("user", Level.OK, "user id " + permissions.euid() + capabilities(), "");
    }

    private String capabilities() {
        var held = new ArrayList<String>();
        for (Capability capability : Capability.values()) {
            if (permissions.has(capability)) {
                held.add("CAP_" + capability);
            }
        }
        String scope = permissions.userNamespace() ? " (valid only within this user namespace)" : "";
        return held.isEmpty() ? ", no capabilities" : ", " + String.join(" ", held) + scope;
    }

    private void memory() {
        Probe probe = Probe.readMemory(pid);
        memoryRefused = !probe.works();
        add(
                Need.MEMORY.check,
                probe.works() ? Level.OK : Level.FAILED,
                "process_vm_readv of process " + pid + (probe.works() ? " works" : ": " + probe.errno() + settings()),
                probe.works() ? "" : advice.forMemory());
    }

    private String settings() {
        return permissions.ptraceSettings().isEmpty() ? "" : ", " + permissions.ptraceSettings();
    }

    private boolean systemWide() {
        Probe probe = Probe.systemWide();
        add(
                Need.PERF_SYSTEM_WIDE.check,
                probe.works() ? Level.OK : Level.LIMITED,
                probe.works()
                        ? "works: kernel frames and short-lived threads can be seen"
                        : "not permitted (" + probe.errno() + ", " + permissions.perfSettings()
                                + "): short-lived threads are under-represented",
                probe.works() ? "" : advice.forSystemWide());
        return probe.works();
    }

    private boolean perThread() {
        Probe kernel = Probe.perThread(pid, true);
        Probe user = kernel.works() ? kernel : Probe.perThread(pid, false);
        String works = kernel.works() ? "works" : "works, user space only";
        add(
                Need.PERF_PER_THREAD.check,
                user.works() ? Level.OK : Level.LIMITED,
                user.works() ? works : user.errno() + ", " + permissions.perfSettings(),
                user.works() ? "" : advice.forPerThread());
        return user.works();
    }

    /**
     * Returns true if the process may be traced. A process cannot trace itself: without a target process, only the
     * setting is reported.
     */
    private boolean ptrace() {
        if (ourselves) {
            long scope = permissions.ptraceScope();
            boolean open = scope <= 0 || permissions.has(Capability.SYS_PTRACE) && scope < 3;
            add(
                    Need.PTRACE.check,
                    open ? Level.OK : Level.LIMITED,
                    scope < 0
                            ? "no Yama: processes of this user may be traced"
                            : "kernel.yama.ptrace_scope is " + scope,
                    open ? "" : advice.forPtraceScope());
            return open || scope == 1;
        }
        Probe probe = trace();
        String remedy = memoryRefused ? advice.forPtraceBesideMemory() : advice.forPtrace();
        add(
                Need.PTRACE.check,
                probe.works() ? Level.OK : Level.LIMITED,
                probe.works()
                        ? "process " + pid + " may be traced"
                        : "process " + pid + ": " + probe.errno() + settings(),
                probe.works() ? "" : remedy);
        return probe.works();
    }

    private Probe trace() {
        try {
            return Probe.trace(pid);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Probe(false, "EINTR");
        }
    }

    private void uprobes() {
        Probe probe = Probe.uprobes();
        add(
                Need.UPROBES.check,
                probe.works() ? Level.OK : Level.LIMITED,
                probe.works()
                        ? "works: allocation can be recorded by class (record -e alloc-class)"
                        : "not permitted (" + probe.errno() + "): no record -e alloc-class",
                probe.works() ? "" : advice.forUprobes());
    }

    private void limits() {
        long rate = permissions.maxSampleRate();
        add(
                "highest rate",
                rate < 0 || rate >= 99 ? Level.OK : Level.LIMITED,
                rate < 0 ? "the kernel has no perf events" : rate + " Hz (kernel.perf_event_max_sample_rate)",
                rate < 0 || rate >= 99 ? "" : advice.forSampleRate());
        long files = permissions.openFilesMost();
        boolean enough = files < 0 || files >= 4096;
        add(
                "open files",
                enough ? Level.OK : Level.LIMITED,
                (files < 0 ? "no limit" : "up to " + files) + " (ulimit -n)",
                enough ? "" : "perf per thread needs one for each thread and CPU: raise the hard limit, ulimit -Hn");
    }

    private void leaves(ManagedRuntime runtime) {
        boolean exact = runtime.hasCertainLeaves();
        add(
                "leaf methods",
                exact ? Level.OK : Level.LIMITED,
                exact
                        ? "certain: DebugNonSafepoints is set"
                        : "inlined ones are inferred: DebugNonSafepoints is not set, so compiled code has debug"
                                + " information at calls and polls only",
                exact
                        ? ""
                        : "start the JVM with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints, or with"
                                + " mayfly run --exact");
    }

    private void runtime() {
        if (ourselves) {
            return;
        }
        try (InspectedProcess target = InspectedProcess.open(pid)) {
            target.requireRuntime();
            for (ManagedRuntime runtime : target.runtimes()) {
                add("runtime " + runtime.id(), Level.OK, runtime.kind() + " " + runtime.version() + ", understood", "");
                leaves(runtime);
            }
        } catch (Refused e) {
            checks.add(runtimeRefused(pid, e));
        }
    }

    /**
     * Returns the check for a refusal. Only the memory check reports a denied permission, with its cause and advice.
     */
    static Check runtimeRefused(int pid, Refused e) {
        boolean notPermitted = e.reason() == Refused.Reason.NOT_PERMITTED;
        return new Check(
                "runtime",
                Level.FAILED,
                notPermitted ? "not looked for: process " + pid + " may not be read, see above" : Refusals.text(e),
                notPermitted ? "" : e.advice());
    }
}
