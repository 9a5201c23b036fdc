package mayfly.linux;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import mayfly.arch.Architecture;
import mayfly.linux.proc.HeldProcFile;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcFileTooLarge;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.SocketTable;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.FileSystem;
import mayfly.linux.sys.HeldPath;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Pidfd;
import mayfly.linux.sys.Statx;
import mayfly.linux.sys.X86Abi;
import mayfly.process.KernelThreads;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/**
 * A running process, read from outside without changing it.
 *
 * <p>It is held by a pidfd and by its directory in /proc, so another process that later gets the same id is never
 * mistaken for it. Any thread may call it; {@link #memory()} returns a separate object to each thread.
 */
public final class LiveProcess implements TargetProcess, KernelThreads {
    private static final int MAX_COMMAND_LINE = 4 << 20;
    /**
     * Upper bound on the maps text of another user's process; the kernel needs a quarter of a second to print this
     * much.
     */
    private static final int MAX_MAPS = 4 << 20;
    private static final int MAX_MOUNTS = 16 << 20;

    private final int pid;
    private final Pidfd pidfd;
    private final Fd directory;
    /** The root directory; it stays usable after the process has exited. */
    private final Fd root;
    private final Stat opened;
    private final Arena arena = Arena.ofShared();
    private final Map<String, MemorySegment> files = new HashMap<>();
    private final AddressSpace space;
    private volatile boolean avoidsPaths;
    /** The stat file; null until its first use. */
    private @Nullable HeldProcFile stat;

    private LiveProcess(int pid, Pidfd pidfd, Fd directory, Fd root, Stat opened) {
        this.pid = pid;
        this.pidfd = pidfd;
        this.directory = directory;
        this.root = root;
        this.opened = opened;
        this.space = new AddressSpace(pidfd, directory.path());
    }

    /**
     * Opens a process that the caller may read. The process is not affected.
     *
     * @throws ProcessUnavailable if there is no such process, or it may not be read
     */
    public static LiveProcess open(int pid) throws ProcessUnavailable {
        if (pid <= 0) {
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
        }
        Pidfd pidfd = openPidfd(pid);
        Fd directory = null;
        Fd root = null;
        Stat stat = null;
        boolean done = false;
        try {
            directory = Open.directory("/proc/" + pid);
            requireSameNamespace(pid, pidfd);
            stat = userStat(pid, directory);
            requireReadable(pid, directory);
            root = Open.directory(directory.path() + "/root");
            if (!pidfd.isAlive()) {
                throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
            }
            done = true;
            return new LiveProcess(pid, pidfd, directory, root, stat);
        } catch (IOException e) {
            throw unavailable(pid, pidfd.isAlive(), stat != null, e);
        } finally {
            if (!done) {
                pidfd.close();
                if (directory != null) {
                    directory.close();
                }
                if (root != null) {
                    root.close();
                }
            }
        }
    }

    /**
     * Requires that /proc shows this pid namespace: in a /proc of another one, the number denotes another process or
     * none.
     */
    private static void requireSameNamespace(int pid, Pidfd pidfd) throws IOException, ProcessUnavailable {
        String info = ProcFile.text("/proc/self/fdinfo/" + pidfd.number(), 1 << 16);
        if (info.lines().noneMatch(("Pid:\t" + pid)::equals) && pidfd.isAlive()) {
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM,
                    "/proc is that of another pid namespace: mount the one of this");
        }
    }

    private static ProcessUnavailable unavailable(int pid, boolean isAlive, boolean isShown, IOException e) {
        int errno = e instanceof ErrnoException failed ? failed.errno() : ProcFile.isGone(e) ? Errno.ENOENT : 0;
        return switch (errno) {
            case Errno.ENOENT, Errno.ESRCH -> !isAlive ? new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "")
                    // do_exit releases the memory and the root before the last thread has ended.
                    : isShown ? new ProcessUnavailable(pid, ProcessUnavailable.Reason.ZOMBIE, "")
                    : new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED, "/proc hides it (mount option"
                            + " hidepid), or is that of another pid namespace");
            case Errno.EPERM, Errno.EACCES -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED,
                    e.getMessage() + settings());
            case Errno.ENOSYS -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM,
                    "openat2 needs Linux 5.6" + settings());
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
            throw new IOException("/proc/" + pid + "/stat cannot be understood");
        }
        if (stat.isKernelThread()) {
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.KERNEL_THREAD, "");
        }
        if (stat.isZombie()) {
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.ZOMBIE, "");
        }
        return stat;
    }

    private static void requireReadable(int pid, Fd directory) throws IOException, ProcessUnavailable {
        // Opening this file needs PTRACE_MODE_READ only; auxv and mem also require the same owner.
        try {
            Open.readOnly(directory.path() + "/maps").close();
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EACCES && e.errno() != Errno.EPERM) {
                throw e;
            }
            throw new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED, owner(directory));
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
                case Errno.EINVAL, Errno.ENOENT -> exists
                        ? new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_A_PROCESS, "")
                        : new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_FOUND, "");
                case Errno.EPERM -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.NOT_PERMITTED,
                        e.getMessage() + settings());
                case Errno.ENOSYS -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM,
                        "pidfd_open needs Linux 5.3" + settings());
                default -> new ProcessUnavailable(pid, ProcessUnavailable.Reason.SYSTEM,
                        String.valueOf(e.getMessage()));
            };
        }
    }

    private static String owner(Fd directory) {
        try {
            Permissions own = Permissions.read();
            if (own.has(Permissions.Capability.SYS_PTRACE) && !own.userNamespace()) {
                return "Mayfly has CAP_SYS_PTRACE, so a security module of the kernel protects it";
            }
            int owner = ProcStatus.parse(ProcFile.text(directory.path() + "/status", 1 << 16)).euid();
            return owner != ProcStatus.parse(ProcFile.text("/proc/self/status", 1 << 16)).euid()
                    ? "it belongs to user id " + owner
                    : "it is this user's, but has more capabilities, or is undumpable (see PR_SET_DUMPABLE in prctl(2))";
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public Architecture architecture() {
        return X86Abi.ARCHITECTURE;
    }

    @Override
    public int pid() {
        return pid;
    }

    /** Returns the memory of the process, for the calling thread. */
    @Override
    public Memory memory() {
        return space.memory();
    }

    @Override
    public List<Mapping> mappings() throws IOException {
        return space.mappings();
    }

    /**
     * Holds the present memory, so that it stays readable until {@link #close()} even if the process ends. The process
     * cannot observe this. Returns false if holding is not permitted.
     */
    public boolean hold() {
        return space.hold(this);
    }

    /** Returns true if memory of the process is held. */
    public boolean isHeld() {
        return space.isHeld();
    }

    /**
     * If memory is held and the process has called execve(2) since, holds the memory of the new program.
     *
     * @return the previous program, still held; null if the program has not changed since the last call
     */
    public @Nullable ReplacedProgram followExec() {
        HeldAddressSpace before = space.followExec(this);
        return before == null ? null : new ReplacedProgram(this, before);
    }

    /** Returns true if a read by the calling thread failed because the process has no memory any more. */
    public boolean isMemoryGone() {
        return space.isGone();
    }

    /**
     * Returns the path of a mapped file that the user of the process may serve (for example by FUSE), if that is
     * another user. A read of that file, or of memory where it is mapped, may block indefinitely; not even SIGKILL
     * ends the reader then. Returns an empty string if there is none; the path is untrusted text.
     *
     * @throws IOException if the mappings or the mounts cannot be read
     */
    public String servedFile() throws IOException {
        return ServedFiles.isOthers(proc()) ? ServedFiles.first(space, proc(), ServedFiles.areMountsTrusted(proc())) : "";
    }

    /**
     * Bounds the cost of reading another user's process from now on. Paths of its files are no longer followed,
     * because they can lead through a file system of that user which never answers, even if the mapped file is on
     * another one. Methods that read the mappings throw {@link ProcFileTooLarge} if the maps text exceeds 4 MiB, which
     * is 30,000 mappings of an ordinary program.
     *
     * @throws IOException if the owner of the process cannot be determined
     */
    public void boundLooks() throws IOException {
        if (ServedFiles.isOthers(proc())) {
            avoidsPaths = true;
            space.limit(MAX_MAPS);
        }
    }

    /**
     * Passes each mapping to a consumer. The mappings are not collected in memory, so their number does not matter.
     *
     * @throws IOException if the mappings cannot be read
     */
    public void forEachMapping(Consumer<Mapping> each) throws IOException {
        space.forEachMapping(each);
    }

    @Override
    public List<TargetThread> threads() throws IOException {
        List<TargetThread> threads = new ArrayList<>();
        for (int tid : tids()) {
            TargetThread thread = thread(tid);
            if (thread != null) {
                threads.add(thread);
            }
        }
        return threads;
    }

    /**
     * Returns a thread, or null if it has ended.
     *
     * @throws IOException if its files in /proc cannot be read
     */
    public @Nullable TargetThread thread(int tid) throws IOException {
        try {
            Stat stat = Stat.parse(ProcFile.line(proc() + "/task/" + tid + "/stat"));
            return stat == null ? null : stat.thread();
        } catch (IOException e) {
            if (ProcFile.isGone(e)) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Returns true if the thread that had an id at the given time still has its stack: it has not begun to exit, and
     * the id has not been reused by a thread started later.
     *
     * @param nanos CLOCK_MONOTONIC, ns
     */
    public boolean isStillRunning(int tid, long nanos) {
        try {
            Stat stat = Stat.parse(ProcFile.line(proc() + "/task/" + tid + "/stat"));
            long sinceBoot = KernelClock.BOOT.nanos() - (System.nanoTime() - nanos);
            return stat != null && !stat.isExiting() && stat.startTicks() <= sinceBoot / Stat.TICK_NANOS + 1;
        } catch (IOException e) {
            return false; // the thread has ended, or its state cannot be read
        }
    }

    @Override
    public @Nullable TargetThread threadByInnermostTid(int tid) throws IOException {
        if (innermostPid() == pid) {
            return thread(tid);
        }
        for (int each : tids()) {
            if (innermostTid(each) == tid) {
                return thread(each);
            }
        }
        return null;
    }

    @Override
    public long nowTicks() {
        return KernelClock.BOOT.nanos() / Stat.TICK_NANOS;
    }

    /**
     * Returns the ids of the threads; empty if the process has exited.
     *
     * @throws IOException if they cannot be listed
     */
    public int[] tids() throws IOException {
        String[] names = new File(proc() + "/task").list();
        if (names == null) {
            if (isAlive()) {
                throw new IOException("cannot list /proc/" + pid + "/task");
            }
            return new int[0];
        }
        int[] tids = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            tids[i] = Integer.parseInt(names[i]);
        }
        return tids;
    }

    /** Returns the id of a thread in its own, innermost pid namespace; -1 if it cannot be determined. */
    public int innermostTid(int tid) {
        try {
            List<Integer> ids = ProcStatus.parse(ProcFile.text(proc() + "/task/" + tid + "/status", 1 << 16))
                    .namespacePids();
            return ids.isEmpty() ? tid : ids.getLast();
        } catch (IOException e) {
            return -1;
        }
    }

    /**
     * Returns the user stack pointer of a thread blocked in the kernel; empty if it runs, has ended, or may not be
     * read.
     */
    public OptionalLong waitingAt(int tid) {
        try {
            BlockedSyscall waits = BlockedSyscall.read(this, tid);
            return waits == null ? OptionalLong.empty() : OptionalLong.of(waits.sp());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Returns the CPU time of one thread so far in ns, from its schedstat; -1 if the kernel does not report it or the
     * thread has ended.
     */
    public long cpuNanos(int tid) {
        try {
            String line = ProcFile.line(proc() + "/task/" + tid + "/schedstat");
            int blank = line.indexOf(' ');
            return blank <= 0 ? -1 : Long.parseLong(line.substring(0, blank));
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        String key = mapping.device() + " " + mapping.inode() + " " + mapping.path();
        synchronized (files) {
            MemorySegment known = files.get(key);
            if (known == null) {
                known = MappedFile.map(proc(), root, mapping, arena, avoidsPaths);
                files.put(key, known);
            }
            return known;
        }
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        if (avoidsPaths) {
            throw new IOException(path + ": no path of another user's process is followed");
        }
        return MappedFile.mapAt(root, path, arena);
    }

    /**
     * Returns a handle to the current program image; {@link ProcessImage#isReplaced()} later reports whether the
     * process has called execve(2). Close it before this process.
     *
     * @throws IOException if the image may not be read, or the process has ended
     */
    public ProcessImage image() throws IOException {
        return ProcessImage.of(this);
    }

    /** Returns the present memory, without held memory: reads fail once the process has ended. */
    public ProcessMemory presentMemory() {
        return new ProcessMemory(pidfd);
    }

    /** Returns true if the process has not exited. */
    public boolean isAlive() {
        return pidfd.isAlive();
    }

    /** Waits until the process exits; returns false on time-out. */
    public boolean awaitExit(int millis) {
        return pidfd.awaitExit(millis);
    }

    /**
     * Waits until the process exits; returns false if it has neither exited nor begun to exit within the time. On a
     * busy machine the memory of a killed process may be gone a second before the process itself.
     */
    public boolean isEnding(int millis) {
        if (awaitExit(millis)) {
            return true;
        }
        try {
            Stat now = Stat.parse(statLine());
            return now != null && now.isExiting();
        } catch (IOException e) {
            return !isAlive();
        }
    }

    /**
     * Returns the command line, starting with the program name; empty if the process has overwritten it so. Untrusted
     * text.
     *
     * @throws IOException if it cannot be read
     */
    public List<String> commandLine() throws IOException {
        byte[] bytes = ProcFile.bytes(proc() + "/cmdline", MAX_COMMAND_LINE);
        int length = bytes.length > 0 && bytes[bytes.length - 1] == 0 ? bytes.length - 1 : bytes.length;
        if (length == 0) {
            return List.of();
        }
        return List.of(new String(bytes, 0, length, StandardCharsets.UTF_8).split("\0", -1));
    }

    /**
     * Returns the path of the executable as the kernel prints it, which may end in {@code (deleted)}.
     *
     * @throws IOException if it cannot be read
     */
    public String executable() throws IOException {
        return Files.readSymbolicLink(Path.of(proc(), "exe")).toString();
    }

    /**
     * Returns the working directory as the process sees it.
     *
     * @throws IOException if it cannot be read
     */
    public String workingDirectory() throws IOException {
        return asItSees(Files.readSymbolicLink(Path.of(proc(), "cwd")).toString());
    }

    /**
     * Converts a path that the kernel printed to this process into the path that the target sees below its own root
     * directory (chroot(2)).
     *
     * @throws IOException if the root directory cannot be read
     */
    public String asItSees(String path) throws IOException {
        String top = Files.readSymbolicLink(Path.of(proc(), "root")).toString();
        return top.equals("/") || !path.startsWith(top + "/") ? path : path.substring(top.length());
    }

    /**
     * Returns the process's status, see proc_pid_status(5).
     *
     * @throws IOException if it cannot be read
     */
    public ProcStatus status() throws IOException {
        return ProcStatus.parse(ProcFile.text(proc() + "/status", 1 << 16));
    }

    /**
     * Returns true if a debugger or another tracer is attached to the main thread.
     *
     * @throws IOException if its status cannot be read
     */
    public boolean isTraced() throws IOException {
        return status().tracerPid() != 0;
    }

    /**
     * Returns true if the process is in the same namespace as this process; for kinds such as {@code mnt} or
     * {@code pid}, see namespaces(7).
     *
     * @throws IOException if the namespace cannot be read
     */
    public boolean sharesNamespace(String kind) throws IOException {
        return Files.readSymbolicLink(Path.of(proc(), "ns", kind))
                .equals(Files.readSymbolicLink(Path.of("/proc/self/ns", kind)));
    }

    /**
     * Returns the process id in the process's own pid namespace.
     *
     * @throws IOException if its status cannot be read
     */
    public int innermostPid() throws IOException {
        List<Integer> ids = status().namespacePids();
        return ids.isEmpty() ? pid : ids.getLast();
    }

    /**
     * Sends a signal, see signal(7), to this process; never to another process that has got its id.
     *
     * @throws IOException if the signal cannot be sent
     */
    public void signal(int signal) throws IOException {
        pidfd.signal(signal);
    }

    /**
     * Returns the open descriptors: their numbers and targets, see proc_pid_fd(5). Descriptors closed during the call
     * are left out.
     *
     * @throws IOException if they cannot be listed
     */
    public Map<Integer, String> descriptors() throws IOException {
        String[] names = new File(proc() + "/fd").list();
        if (names == null) {
            throw new IOException("cannot list /proc/" + pid + "/fd");
        }
        Map<Integer, String> found = new TreeMap<>();
        for (String name : names) {
            try {
                found.put(Integer.parseInt(name), Files.readSymbolicLink(Path.of(proc(), "fd", name)).toString());
            } catch (NoSuchFileException e) {
                continue; // closed since the names were listed; the number may denote another file by now
            }
        }
        return found;
    }

    /**
     * Opens the file that a descriptor refers to, even if it is outside the process's root directory.
     *
     * @throws IOException if the descriptor is closed or may not be opened
     */
    public HeldPath holdDescriptor(int number) throws IOException {
        return HeldPath.behind(proc() + "/fd/" + number);
    }

    /** Returns true if a descriptor refers to a socket, or if its target cannot be read. */
    boolean mayBeSocket(int number) {
        try {
            return Files.readSymbolicLink(Path.of(proc(), "fd", Integer.toString(number))).toString().startsWith("socket:");
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Returns the first bytes of the file in memory that a descriptor refers to, see memfd_create(2). Returns no bytes
     * if the descriptor refers to anything else, regardless of {@code link}: a process in its own mount namespace can
     * give any file that name. The read never blocks, and it does not consume the content of a pipe.
     *
     * @throws IOException if the file cannot be read
     */
    public byte[] readDescriptor(int number, String link, int length) throws IOException {
        try (Fd held = Open.path(proc() + "/fd/" + number)) {
            if (!Statx.of(held).isRegular() || !FileSystem.isInMemory(held)
                    || !Files.readSymbolicLink(Path.of(held.path())).toString().equals(link)) {
                return new byte[0];
            }
            try (Fd file = Open.readAtOnce(held.path())) {
                return file.read(length);
            }
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.EAGAIN) {
                return new byte[0];
            }
            throw e;
        }
    }

    /**
     * Returns sockets of the process's network namespace, including those of other processes.
     *
     * @param inodes the inodes to look for; only sockets of the families UNIX and INET are found
     * @return a description by inode, such as {@code unix /tmp/x listening}: untrusted text
     * @throws IOException if the tables cannot be read
     */
    public Map<Long, String> sockets(Set<Long> inodes) throws IOException {
        return SocketTable.of(proc(), inodes);
    }

    /**
     * Creates a file in a directory below the process's root directory.
     *
     * @throws IOException if the file cannot be created
     */
    public PlacedFile place(String directory, String name, byte[] content, int mode, int owner) throws IOException {
        return PlacedFile.make(root, directory, name, content, mode, owner);
    }

    /**
     * Creates a file as above, but in a new directory {@code own} that only the owner may enter.
     *
     * @throws IOException if the directory or the file cannot be created
     */
    public PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        return PlacedFile.makeApart(root, directory, own, name, content, mode, owner);
    }

    /**
     * Opens a path below the process's root directory; symbolic links cannot lead outside it.
     *
     * @throws IOException if the path cannot be opened
     */
    public HeldPath hold(String path) throws IOException {
        return HeldPath.open(root, path);
    }

    /**
     * Opens a path below the process's root directory; a symbolic link at the path is not followed.
     *
     * @throws IOException if the path cannot be opened
     */
    public HeldPath holdItself(String path) throws IOException {
        return HeldPath.openItself(root, path);
    }

    /**
     * Returns the lines of the process's {@code mounts}, see proc_pid_mounts(5).
     *
     * @throws IOException if they cannot be read
     */
    public List<String> mounts() throws IOException {
        return ProcFile.text(proc() + "/mounts", MAX_MOUNTS).lines().toList();
    }

    /**
     * Returns the soft limit of open files; {@link Long#MAX_VALUE} if the kernel reports none.
     *
     * @throws IOException if the limits cannot be read
     */
    public long mostOpenFiles() throws IOException {
        return ProcFile.text(proc() + "/limits", 1 << 16).lines().filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split("\\s+")[3]).filter(word -> word.matches("[0-9]{1,18}")).mapToLong(Long::parseLong)
                .findFirst().orElse(Long.MAX_VALUE);
    }

    /**
     * Opens the working directory. After a chroot(2) its path leads there from outside only.
     *
     * @throws IOException if it cannot be opened
     */
    public HeldPath holdWorkingDirectory() throws IOException {
        return HeldPath.behind(proc() + "/cwd");
    }

    /**
     * Returns the names (comm) of the child processes, zombies included: untrusted text.
     *
     * @throws IOException if they cannot be listed
     */
    public List<String> children() throws IOException {
        String[] pids = new File("/proc").list((dir, name) -> name.matches("[0-9]{1,9}"));
        if (pids == null) {
            throw new IOException("cannot list /proc");
        }
        List<String> children = new ArrayList<>();
        for (String each : pids) {
            try {
                Stat stat = Stat.parse(ProcFile.line("/proc/" + each + "/stat"));
                if (stat != null && stat.parent() == pid) {
                    children.add(stat.comm() + (stat.isZombie() ? ", ended" : ""));
                }
            } catch (IOException e) {
                continue; // the child has ended
            }
        }
        return children;
    }

    /** Returns the start time, in clock ticks since boot. */
    public long startTicks() {
        return opened.startTicks();
    }

    /**
     * Returns the CPU time of all threads so far, including ended ones.
     *
     * @throws IOException if it cannot be read
     */
    public CpuTime cpuTime() throws IOException {
        Stat stat = Stat.parse(statLine());
        if (stat == null) {
            throw new IOException("/proc/" + pid + "/stat cannot be understood");
        }
        return new CpuTime(stat.userNanos(), stat.systemNanos());
    }

    private String statLine() throws IOException {
        synchronized (directory) {
            HeldProcFile file = stat;
            if (file == null) {
                file = HeldProcFile.open(proc() + "/stat");
                stat = file;
            }
            return file.line();
        }
    }

    /**
     * CPU time in ns, with the kernel's resolution of 10 ms.
     *
     * @param userNanos time in user space
     * @param systemNanos time in the kernel
     */
    public record CpuTime(long userNanos, long systemNanos) {
        public long nanos() {
            return userNanos + systemNanos;
        }
    }

    /** Returns the path of the process's directory in /proc, through a descriptor. */
    public String proc() {
        return directory.path();
    }

    public Pidfd pidfd() {
        return pidfd;
    }

    @Override
    public void close() {
        synchronized (files) {
            if (arena.scope().isAlive()) {
                files.clear();
                arena.close();
            }
        }
        synchronized (directory) {
            if (stat != null) {
                stat.close();
            }
        }
        space.close();
        directory.close();
        root.close();
        pidfd.close();
    }
}
