package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import mayfly.arch.Architecture;
import mayfly.linux.proc.ProcFileTooLarge;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.SocketTable;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.HeldPath;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Pidfd;
import mayfly.process.KernelThreads;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/**
 * A running process, read from outside without changing it.
 *
 * <p>The object holds a pidfd and the process's directory in /proc, so another process that later gets the same id is
 * never mistaken for it. Any thread may call the methods; {@link #memory()} returns a separate object to each thread.
 */
public final class LiveProcess implements TargetProcess, KernelThreads {
    /**
     * Upper bound on the maps text of another user's process; the kernel needs a quarter of a second to print this
     * much.
     */
    private static final int MAX_MAPS = 4 << 20;

    private final int pid;
    private final Pidfd pidfd;
    private final Fd directory;
    /** The root directory; it stays usable after the process has exited. */
    private final Fd root;
    private final Stat opened;
    private final AddressSpace space;
    private final MappedFiles files;
    private final ProcessThreads threads;
    private final ProcessDescriptors descriptors;
    private final ProcessFacts facts;

    LiveProcess(int pid, Pidfd pidfd, Fd directory, Fd root, Stat opened) {
        this.pid = pid;
        this.pidfd = pidfd;
        this.directory = directory;
        this.root = root;
        this.opened = opened;
        this.space = new AddressSpace(pidfd, directory.path());
        this.files = new MappedFiles(directory, root);
        this.threads = new ProcessThreads(pidfd, directory);
        this.descriptors = new ProcessDescriptors(pid, directory);
        this.facts = new ProcessFacts(pid, directory);
    }

    /**
     * Opens a process that the caller may read. The process is not affected.
     *
     * @throws ProcessUnavailable if there is no such process, or it may not be read
     */
    public static LiveProcess open(int pid) throws ProcessUnavailable {
        return ProcessOpening.open(pid);
    }

    @Override
    public Architecture architecture() {
        return Cpu.ABI.architecture();
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
     * cannot observe this. Returns false if holding is not permitted, or if the process ends or calls execve(2)
     * meanwhile.
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
        return ServedFiles.isOthers(proc()) ? ServedFiles.first(space, proc(), ServedFiles.areMountsTrusted(proc()))
                : "";
    }

    /**
     * Returns true if the process belongs to another user.
     *
     * @throws IOException if its owner cannot be determined
     */
    public boolean isOthers() throws IOException {
        return ServedFiles.isOthers(proc());
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
            files.avoidPaths();
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
        return threads.all();
    }

    /**
     * Returns a thread, or null if it has ended.
     *
     * @throws IOException if its files in /proc cannot be read
     */
    public @Nullable TargetThread thread(int tid) throws IOException {
        return threads.thread(tid);
    }

    /**
     * Returns true if the thread that had an id at the given time still has its stack: it has not begun to exit, and
     * the id has not been reused by a thread started later.
     *
     * @param nanos CLOCK_MONOTONIC, ns
     */
    public boolean isStillRunning(int tid, long nanos) {
        return threads.isStillRunning(tid, nanos);
    }

    @Override
    public @Nullable TargetThread threadByInnermostTid(int tid) throws IOException {
        return innermostPid() == pid ? thread(tid) : threads.byInnermostTid(tid);
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
        return threads.tids();
    }

    /** Returns the id of a thread in its own, innermost pid namespace; -1 if it cannot be determined. */
    public int innermostTid(int tid) {
        return threads.innermostTid(tid);
    }

    /**
     * Returns the user stack pointer of a thread blocked in the kernel; empty if it runs, has ended, or may not be
     * read.
     */
    public OptionalLong waitingAt(int tid) {
        return threads.waitingAt(tid);
    }

    /**
     * Returns the CPU time of one thread so far in ns, from its schedstat; -1 if the kernel does not report it or the
     * thread has ended.
     */
    public long cpuNanos(int tid) {
        return threads.cpuNanos(tid);
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        return files.file(mapping);
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        return files.fileAt(path);
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
            return facts.isExiting();
        } catch (IOException e) {
            return !isAlive();
        }
    }

    /**
     * Returns true if every thread has begun to exit, or has exited. Unlike {@link #isEnding}, returns false if the
     * first thread alone has ended.
     */
    public boolean isExiting() {
        return threads.areExiting();
    }

    /**
     * Returns the command line, starting with the program name; empty if the process has erased it. Untrusted text.
     *
     * @throws IOException if it cannot be read
     */
    public List<String> commandLine() throws IOException {
        return facts.commandLine();
    }

    /**
     * Returns the path of the executable as the kernel prints it, which may end in {@code (deleted)}.
     *
     * @throws IOException if it cannot be read
     */
    public String executable() throws IOException {
        return facts.executable();
    }

    /**
     * Returns the working directory as the process sees it.
     *
     * @throws IOException if it cannot be read
     */
    public String workingDirectory() throws IOException {
        return facts.workingDirectory();
    }

    /**
     * Converts a path that the kernel printed to this process into the path that the target sees below its own root
     * directory (chroot(2)).
     *
     * @throws IOException if the root directory cannot be read
     */
    public String asItSees(String path) throws IOException {
        return facts.asItSees(path);
    }

    /**
     * Returns the process's status, see proc_pid_status(5).
     *
     * @throws IOException if it cannot be read
     */
    public ProcStatus status() throws IOException {
        return facts.status();
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
        return facts.sharesNamespace(kind);
    }

    /**
     * Returns the process id in the process's own pid namespace.
     *
     * @throws IOException if its status cannot be read
     */
    public int innermostPid() throws IOException {
        return facts.innermostPid();
    }

    /**
     * Sends a signal, see signal(7), to this process, and never to another process that has the same id later.
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
        return descriptors.all();
    }

    /**
     * Opens the file that a descriptor refers to, even if it is outside the process's root directory.
     *
     * @throws IOException if the descriptor is closed or may not be opened
     */
    public HeldPath holdDescriptor(int number) throws IOException {
        return descriptors.hold(number);
    }

    /** Returns true if a descriptor refers to a socket, or if its target cannot be read. */
    boolean mayBeSocket(int number) {
        return descriptors.mayBeSocket(number);
    }

    /**
     * Returns the first bytes of the file in memory that a descriptor refers to, see memfd_create(2). Returns no bytes
     * if the descriptor refers to anything else, regardless of {@code link}: a process in its own mount namespace can
     * give any file that name. The read never blocks, and it does not consume the content of a pipe.
     *
     * @param link the expected target of the descriptor, as in {@link #descriptors()}; if the target is another one, no
     *         bytes are returned
     * @param length upper bound on the number of bytes returned
     * @throws IOException if the file cannot be read
     */
    public byte[] readDescriptor(int number, String link, int length) throws IOException {
        return descriptors.read(number, link, length);
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
     * @param directory the directory's path as the process sees it
     * @param mode the permission bits, see inode(7)
     * @param owner the user id that will own the file; only a privileged process can set another id than its own
     * @throws AccessDeniedException if the process's user may have chosen the directory, and could not create a file in
     *         it
     * @throws IOException if the file cannot be created
     */
    public PlacedFile place(String directory, String name, byte[] content, int mode, int owner) throws IOException {
        return PlacedFile.make(writable(directory), name, content, mode, owner);
    }

    /**
     * Creates a file as {@link #place} does, but in a new directory {@code own} that only the owner may enter.
     *
     * @throws IOException if the directory or the file cannot be created
     */
    public PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        return PlacedFile.makeApart(writable(directory), own, name, content, mode, owner);
    }

    private Fd writable(String directory) throws IOException {
        return TargetDirectory.open(root, directory, status().euid(), mayChooseDirectories());
    }

    /**
     * Returns true if the process's user may have changed its mounts or, in a user namespace of theirs, its root
     * directory (chroot(2)). A process cannot return from a namespace that it has entered, so the result false also
     * holds for the moment at which the root directory was opened.
     */
    private boolean mayChooseDirectories() throws IOException {
        return !sharesNamespace("user") || !ServedFiles.areMountsTrusted(proc());
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
        return facts.mounts();
    }

    /**
     * Returns the soft limit of open files; {@link Long#MAX_VALUE} if the kernel reports none.
     *
     * @throws IOException if the limits cannot be read
     */
    public long maxOpenFiles() throws IOException {
        return facts.maxOpenFiles();
    }

    /**
     * Opens the working directory. After a chroot(2), the kernel's path of this directory leads there only from outside
     * the new root.
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
        return facts.children();
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
        return facts.cpuTime();
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
        files.close();
        facts.close();
        space.close();
        directory.close();
        root.close();
        pidfd.close();
    }
}
