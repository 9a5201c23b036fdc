package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import mayfly.arch.Architecture;
import mayfly.linux.proc.ProcFileTooLarge;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Pidfd;
import mayfly.process.KernelThreads;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.ProcessFacts;
import mayfly.process.ProcessLife;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;
import mayfly.process.ThreadFacts;
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
    private final MappedFiles mapped;
    private final ProcessThreads threads;
    private final ProcessDescriptors descriptors;
    private final ProcFacts facts;
    private final ProcessLife life;
    private final ProcessFiles files;

    LiveProcess(int pid, Pidfd pidfd, Fd directory, Fd root, Stat opened) {
        this.pid = pid;
        this.pidfd = pidfd;
        this.directory = directory;
        this.root = root;
        this.opened = opened;
        this.space = new AddressSpace(pidfd, directory.path());
        this.mapped = new MappedFiles(directory, root);
        this.threads = new ProcessThreads(pidfd, directory);
        this.descriptors = new ProcessDescriptors(pid, directory);
        this.facts = new ProcFacts(pid, directory, descriptors);
        this.life = new PidfdLife(pidfd, facts, threads);
        this.files = new ProcessFiles(directory, root, facts, descriptors);
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

    /** Returns the properties of the process as a whole. */
    public ProcessFacts facts() {
        return facts;
    }

    /** Returns the properties of its threads. */
    public ThreadFacts threadFacts() {
        return threads;
    }

    /** Returns an object that reports whether the process is alive, ending or has ended. */
    public ProcessLife life() {
        return life;
    }

    /** Returns the files of the process. */
    public ProcessFiles files() {
        return files;
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
        return ServedFiles.isOthers(proc())
                ? ServedFiles.first(space, proc(), ServedFiles.areMountsTrusted(proc()))
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
    public void boundReads() throws IOException {
        if (ServedFiles.isOthers(proc())) {
            mapped.avoidPaths();
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

    @Override
    public @Nullable TargetThread threadByInnermostTid(int tid) throws IOException {
        return facts.innermostPid() == pid ? thread(tid) : threads.byInnermostTid(tid);
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

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        return mapped.file(mapping);
    }

    /**
     * Opens the very file that is mapped, for its identity: the descriptor cannot be read from. The caller closes it.
     *
     * @throws IOException if it cannot be opened
     */
    public Fd openMapped(Mapping mapping) throws IOException {
        return mapped.open(mapping);
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        return mapped.fileAt(path);
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

    /**
     * Returns the process's status, see proc_pid_status(5).
     *
     * @throws IOException if it cannot be read
     */
    public ProcStatus status() throws IOException {
        return facts.status();
    }

    /**
     * Sends a signal, see signal(7), to this process, and never to another process that has the same id later.
     *
     * @throws IOException if the signal cannot be sent
     */
    public void signal(int signal) throws IOException {
        pidfd.signal(signal);
    }

    /** Returns true if a descriptor refers to a socket, or if its target cannot be read. */
    boolean mayBeSocket(int number) {
        return descriptors.mayBeSocket(number);
    }

    /** Returns the start time, in clock ticks since boot. */
    public long startTicks() {
        return opened.startTicks();
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
        mapped.close();
        facts.close();
        space.close();
        directory.close();
        root.close();
        pidfd.close();
    }
}
