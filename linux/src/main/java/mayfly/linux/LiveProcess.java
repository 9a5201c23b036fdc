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
 * A running process, read from outside and left alone.
 *
 * <p>It is held by a pidfd and by its directory in /proc, so another process that gets the same id later is never taken
 * for it. Any thread may call it; {@link #memory()} answers each thread with an object of its own.
 */
public final class LiveProcess implements TargetProcess, KernelThreads {
    private static final int LARGEST_COMMAND_LINE = 4 << 20;
    /** Of another user's process that nobody asked for: the kernel needs a quarter of a second for as much. */
    private static final int LARGEST_MAPS = 4 << 20;
    private static final int LARGEST_MOUNTS = 16 << 20;

    private final int pid;
    private final Pidfd pidfd;
    private final Fd directory;
    /** Its root directory: it can still be looked into when the process has exited. */
    private final Fd root;
    private final Stat opened;
    private final Arena arena = Arena.ofShared();
    private final Map<String, MemorySegment> files = new HashMap<>();
    private final AddressSpace space;
    private volatile boolean avoidsPaths;
    /** Its stat, once it was asked for. */
    private @Nullable HeldProcFile stat;

    private LiveProcess(int pid, Pidfd pidfd, Fd directory, Fd root, Stat opened) {
        this.pid = pid;
        this.pidfd = pidfd;
        this.directory = directory;
        this.root = root;
        this.opened = opened;
        this.space = new AddressSpace(pidfd, directory.path());
    }

    /** Opens a process that the caller may read. Nothing happens to it. */
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

    /** Where /proc is mounted for another pid namespace, its number is another process's, or nobody's. */
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
                    // do_exit gives up the memory and the root before the last thread has ended.
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
        // The kernel asks PTRACE_MODE_READ of whoever opens this one; for auxv or mem, it must be the owner too.
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
                // A thread's id: EINVAL, since Linux 6.9 ENOENT.
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

    /** Its memory, for the calling thread. */
    @Override
    public Memory memory() {
        return space.memory();
    }

    @Override
    public List<Mapping> mappings() throws IOException {
        return space.mappings();
    }

    /**
     * Keeps its memory, as of now, readable until {@link #close()} even if it ends. It notices nothing of that. False
     * where that is not permitted.
     */
    public boolean hold() {
        return space.hold(this);
    }

    public boolean isHeld() {
        return space.isHeld();
    }

    /**
     * If its memory is held, holds that of the program that it has become since by execve(2).
     *
     * @return the program that it ran before, still held; null if it runs the same as at the last call
     */
    public @Nullable ReplacedProgram followExec() {
        HeldAddressSpace before = space.followExec(this);
        return before == null ? null : new ReplacedProgram(this, before);
    }

    /** Whether the calling thread could not read its memory, because it has none any more. */
    public boolean isMemoryGone() {
        return space.isGone();
    }

    /**
     * The path of a mapped file that its user may serve, if it is another user's process: a read of that file, or of the memory
     * where it is mapped, may never end, and then not even SIGKILL ends the reader. Empty if there is none; untrusted text.
     */
    public String servedFile() throws IOException {
        return ServedFiles.isOthers(proc()) ? ServedFiles.first(space, proc(), ServedFiles.areMountsTrusted(proc())) : "";
    }

    /**
     * Bounds what a look at it can cost from now on, if it is another user's process. No path of its files is followed: it can
     * lead through a file system of that user which never answers, also where a mapped file is on another one. What reads its
     * mappings throws {@link ProcFileTooLarge} if they take more than 4 MiB of text, 30,000 of them in an ordinary program.
     */
    public void boundLooks() throws IOException {
        if (ServedFiles.isOthers(proc())) {
            avoidsPaths = true;
            space.limit(LARGEST_MAPS);
        }
    }

    /** Passes on its mappings one after the other, however many they are: they take no memory. */
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

    /** One thread, or null if it has gone. */
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
     * Whether the thread that had an id at a time still has its stack: it is not about to end, and the id is not that of
     * a thread that was started later.
     *
     * @param nanos CLOCK_MONOTONIC
     */
    public boolean isStillRunning(int tid, long nanos) {
        try {
            Stat stat = Stat.parse(ProcFile.line(proc() + "/task/" + tid + "/stat"));
            long sinceBoot = KernelClock.BOOT.nanos() - (System.nanoTime() - nanos);
            return stat != null && !stat.isExiting() && stat.startTicks() <= sinceBoot / Stat.TICK_NANOS + 1;
        } catch (IOException e) {
            return false; // it has gone, or nothing shows that it has not
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

    /** The ids of its threads. Empty once it has exited. */
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

    /** What a thread is called in its own pid namespace, the innermost; -1 if that cannot be told. */
    public int innermostTid(int tid) {
        try {
            List<Integer> ids = ProcStatus.parse(ProcFile.text(proc() + "/task/" + tid + "/status", 1 << 16))
                    .namespacePids();
            return ids.isEmpty() ? tid : ids.getLast();
        } catch (IOException e) {
            return -1;
        }
    }

    /** The user stack pointer of a thread that waits in the kernel; empty if it runs, has gone, or may not be looked at. */
    public OptionalLong waitingAt(int tid) {
        try {
            BlockedSyscall waits = BlockedSyscall.read(this, tid);
            return waits == null ? OptionalLong.empty() : OptionalLong.of(waits.sp());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** CPU time of one thread so far in ns, from its schedstat; -1 if the kernel does not say or it has gone. */
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
     * What it runs now, to be asked later whether it still does. The caller closes it first.
     *
     * @throws IOException if it may not be looked at, or is gone
     */
    public ProcessImage image() throws IOException {
        return ProcessImage.of(this);
    }

    /** Its memory for a copy of one moment: what it had when it has ended is not read. */
    public ProcessMemory presentMemory() {
        return new ProcessMemory(pidfd);
    }

    /** Whether it has not exited. */
    public boolean isAlive() {
        return pidfd.isAlive();
    }

    /** Waits until it exits; false if it has not after so many milliseconds. */
    public boolean awaitExit(int millis) {
        return pidfd.awaitExit(millis);
    }

    /**
     * Waits until it exits; false if it neither has after so many milliseconds nor has begun to. On a busy machine the memory of a
     * killed process may be gone for a second before the process is.
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

    /** Its arguments, the program's name first; untrusted text. Empty if it has changed its memory so. */
    public List<String> commandLine() throws IOException {
        byte[] bytes = ProcFile.bytes(proc() + "/cmdline", LARGEST_COMMAND_LINE);
        int length = bytes.length > 0 && bytes[bytes.length - 1] == 0 ? bytes.length - 1 : bytes.length;
        if (length == 0) {
            return List.of();
        }
        return List.of(new String(bytes, 0, length, StandardCharsets.UTF_8).split("\0", -1));
    }

    /** The path of its program as the kernel prints it, which may end in {@code (deleted)}. */
    public String executable() throws IOException {
        return Files.readSymbolicLink(Path.of(proc(), "exe")).toString();
    }

    /** Its working directory, as it sees it itself. */
    public String workingDirectory() throws IOException {
        return asItSees(Files.readSymbolicLink(Path.of(proc(), "cwd")).toString());
    }

    /** A path of it that the kernel has told us, who may see more than what is below its root directory (chroot(2)). */
    public String asItSees(String path) throws IOException {
        String top = Files.readSymbolicLink(Path.of(proc(), "root")).toString();
        return top.equals("/") || !path.startsWith(top + "/") ? path : path.substring(top.length());
    }

    public ProcStatus status() throws IOException {
        return ProcStatus.parse(ProcFile.text(proc() + "/status", 1 << 16));
    }

    /** Whether a debugger or another tracer is attached to its main thread. */
    public boolean isTraced() throws IOException {
        return status().tracerPid() != 0;
    }

    /** Whether it is in our namespace of a kind, such as {@code mnt} or {@code pid}, see namespaces(7). */
    public boolean sharesNamespace(String kind) throws IOException {
        return Files.readSymbolicLink(Path.of(proc(), "ns", kind))
                .equals(Files.readSymbolicLink(Path.of("/proc/self/ns", kind)));
    }

    /** Its process id in its own pid namespace. */
    public int innermostPid() throws IOException {
        List<Integer> ids = status().namespacePids();
        return ids.isEmpty() ? pid : ids.getLast();
    }

    /** Sends a signal, see signal(7), to this process and no other that came to have its id. */
    public void signal(int signal) throws IOException {
        pidfd.signal(signal);
    }

    /**
     * Its open descriptors: numbers, and what proc_pid_fd(5) says that they refer to. What was closed meanwhile is left out.
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
                continue; // closed since the names were listed; its number may stand for another by now
            }
        }
        return found;
    }

    /** What one of its descriptors refers to, be it outside of its root directory by now. */
    public HeldPath holdDescriptor(int number) throws IOException {
        return HeldPath.behind(proc() + "/fd/" + number);
    }

    /** Whether one of its descriptors refers to a socket, or that cannot be seen. */
    boolean mayBeSocket(int number) {
        try {
            return Files.readSymbolicLink(Path.of(proc(), "fd", Integer.toString(number))).toString().startsWith("socket:");
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * The first bytes of the file in memory that one of its descriptors refers to, see memfd_create(2). None if it refers to
     * anything else by now, whatever {@code link} says: a process in a mount namespace of its own can give any file that name.
     * Nothing that a process can make lets this wait, and what is in a pipe stays there.
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
     * Sockets of its network namespace, its own or others'.
     *
     * @param inodes which; of other families than UNIX and INET none is found
     * @return by inode, in words such as {@code unix /tmp/x listening}: untrusted text
     */
    public Map<Long, String> sockets(Set<Long> inodes) throws IOException {
        return SocketTable.of(proc(), inodes);
    }

    /** A new file in a directory below its root directory. */
    public PlacedFile place(String directory, String name, byte[] content, int mode, int owner) throws IOException {
        return PlacedFile.make(root, directory, name, content, mode, owner);
    }

    /** The same in a new directory there, which has the name {@code own} and which only the owner may enter. */
    public PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        return PlacedFile.makeApart(root, directory, own, name, content, mode, owner);
    }

    /** What is at a path below its root directory, whatever symbolic links there say. */
    public HeldPath hold(String path) throws IOException {
        return HeldPath.open(root, path);
    }

    /** What is at a path below its root directory, and is not what that leads to if it is a symbolic link. */
    public HeldPath holdItself(String path) throws IOException {
        return HeldPath.openItself(root, path);
    }

    /** The lines of its {@code mounts}, see proc_pid_mounts(5). */
    public List<String> mounts() throws IOException {
        return ProcFile.text(proc() + "/mounts", LARGEST_MOUNTS).lines().toList();
    }

    /** How many files it may have open (its soft limit); {@link Long#MAX_VALUE} if the kernel does not say. */
    public long mostOpenFiles() throws IOException {
        return ProcFile.text(proc() + "/limits", 1 << 16).lines().filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split("\\s+")[3]).filter(word -> word.matches("[0-9]{1,18}")).mapToLong(Long::parseLong)
                .findFirst().orElse(Long.MAX_VALUE);
    }

    /** Its working directory itself; after a chroot(2) its path leads there from outside only. */
    public HeldPath holdWorkingDirectory() throws IOException {
        return HeldPath.behind(proc() + "/cwd");
    }

    /** The kernel's names of its child processes, those that have ended and were not waited for too: untrusted text. */
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
                continue; // it has gone
            }
        }
        return children;
    }

    /** When it started, in clock ticks since boot. */
    public long startTicks() {
        return opened.startTicks();
    }

    /** CPU time of all its threads so far, ended ones included. */
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
     * CPU time in ns; the kernel tells it in steps of 10 ms.
     *
     * @param userNanos spent in user space
     * @param systemNanos spent in the kernel
     */
    public record CpuTime(long userNanos, long systemNanos) {
        public long nanos() {
            return userNanos + systemNanos;
        }
    }

    /** Its directory in /proc, through a descriptor. */
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
