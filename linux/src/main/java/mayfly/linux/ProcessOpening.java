package mayfly.linux;

import java.io.File;
import java.io.IOException;
import mayfly.linux.ProcessUnavailable.Owner;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Owned;
import mayfly.linux.sys.Pidfd;

/** Opens a process and, if that fails, determines the reason, see {@link ProcessUnavailable.Reason}. */
final class ProcessOpening {
    private ProcessOpening() {}

    /** See {@link LiveProcess#open}. */
    static LiveProcess open(int pid) throws ProcessUnavailable {
        if (pid <= 0) {
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
        }
        try (Owned owned = new Owned()) {
            return owned.release(open(pid, owned.add(openPidfd(pid)), owned));
        }
    }

    private static LiveProcess open(int pid, Pidfd pidfd, Owned owned) throws ProcessUnavailable {
        Stat stat = null;
        try {
            Fd directory = owned.add(Open.directory("/proc/" + pid));
            requireSameNamespace(pid, pidfd);
            stat = userStat(pid, directory);
            requireReadable(pid, directory);
            Fd root = owned.add(Open.directory(directory.path() + "/root"));
            if (!pidfd.isAlive()) {
                throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
            }
            return new LiveProcess(pid, pidfd, directory, root, stat);
        } catch (IOException e) {
            throw unavailable(pid, pidfd.isAlive(), stat != null, e);
        }
    }

    /**
     * Requires that /proc shows this pid namespace: in a /proc of another one, the number denotes another process or
     * none.
     */
    private static void requireSameNamespace(int pid, Pidfd pidfd) throws IOException, ProcessUnavailable {
        String info = ProcFile.text("/proc/self/fdinfo/" + pidfd.number(), 1 << 16);
        if (info.lines().noneMatch(("Pid:\t" + pid)::equals) && pidfd.isAlive()) {
            throw new ProcessUnavailable(
                    pid,
                    ProcessUnavailable.Reason.SYSTEM,
                    "/proc belongs to another pid namespace: mount the proc file system of this one");
        }
    }

    private static ProcessUnavailable unavailable(int pid, boolean isAlive, boolean isShown, IOException e) {
        int other = ProcFile.isGone(e) ? Errno.ENOENT : 0;
        int errno = e instanceof ErrnoException failed ? failed.errno() : other;
        return switch (errno) {
            case Errno.ENOENT, Errno.ESRCH -> {
                if (!isAlive) {
                    yield new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
                }
                // do_exit releases the memory and the root before the last thread has ended.
                yield isShown
                        ? new ProcessUnavailable(pid, ProcessUnavailable.Reason.ZOMBIE, "")
                        : new ProcessUnavailable(
                                pid,
                                ProcessUnavailable.Reason.NOT_PERMITTED,
                                "/proc hides it (mount option hidepid), or is that of another pid namespace");
            }
            case Errno.EPERM, Errno.EACCES ->
                new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED, e.getMessage() + settings());
            case Errno.ENOSYS ->
                new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM, "openat2 needs Linux 5.6" + settings());
            default -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM, String.valueOf(e.getMessage()));
        };
    }

    private static String settings() {
        try {
            String settings = Permissions.read().ptraceSettings();
            return settings.isEmpty() ? "" : "; " + settings;
        } catch (IOException e) {
            return "";
        }
    }

    private static Stat userStat(int pid, Fd directory) throws IOException, ProcessUnavailable {
        Stat stat = Stat.parse(ProcFile.line(directory.path() + "/stat"));
        if (stat == null) {
            throw new IOException("/proc/" + pid + "/stat is malformed");
        }
        if (stat.isKernelThread()) {
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.KERNEL_THREAD, "");
        }
        if (stat.isZombie()) {
            throw new ProcessUnavailable(
                    pid,
                    hasThreads(directory)
                            ? ProcessUnavailable.Reason.FIRST_THREAD_ENDED
                            : ProcessUnavailable.Reason.ZOMBIE,
                    "");
        }
        return stat;
    }

    /** Returns true if a process whose first thread has exited has other threads. */
    private static boolean hasThreads(Fd directory) throws IOException {
        return ProcStatus.parse(ProcFile.text(directory.path() + "/status", 1 << 16))
                        .threads()
                > 1;
    }

    private static void requireReadable(int pid, Fd directory) throws IOException, ProcessUnavailable {
        // Opening this file needs PTRACE_MODE_READ only; auxv and mem also require the same owner.
        try {
            Open.readOnly(directory.path() + "/maps").close();
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EACCES && e.errno() != Errno.EPERM) {
                throw e;
            }
            throw notReadable(pid, directory);
        }
    }

    private static Pidfd openPidfd(int pid) throws ProcessUnavailable {
        try {
            return Pidfd.open(pid);
        } catch (ErrnoException e) {
            boolean exists = new File("/proc/" + pid + "/stat").exists();
            throw switch (e.errno()) {
                case Errno.ESRCH -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
                // For a thread's id, the kernel returns EINVAL, since Linux 6.9 ENOENT.
                case Errno.EINVAL, Errno.ENOENT ->
                    exists
                            ? new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_A_PROCESS, "")
                            : new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
                case Errno.EPERM ->
                    new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED, e.getMessage() + settings());
                case Errno.ENOSYS ->
                    new ProcessUnavailable(
                            pid, ProcessUnavailable.Reason.SYSTEM, "pidfd_open needs Linux 5.3" + settings());
                default ->
                    new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM, String.valueOf(e.getMessage()));
            };
        }
    }

    private static ProcessUnavailable notReadable(int pid, Fd directory) {
        String detail = "";
        Owner owner = null;
        try {
            Permissions own = Permissions.read();
            if (own.has(Permissions.Capability.SYS_PTRACE) && !own.userNamespace()) {
                detail = "Mayfly has CAP_SYS_PTRACE, so a security module of the kernel protects the process";
            } else {
                ProcStatus status = ProcStatus.parse(ProcFile.text(directory.path() + "/status", 1 << 16));
                owner = new Owner(status.euid(), status.egid());
                detail = owner.uid() != own.euid()
                        ? "it belongs to user id " + owner.uid()
                        : "it is this user's, but has more capabilities, or is undumpable"
                                + " (see PR_SET_DUMPABLE in prctl(2))";
            }
        } catch (IOException e) {
            // The refusal has no detail.
        }
        return new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED, detail, owner);
    }
}
