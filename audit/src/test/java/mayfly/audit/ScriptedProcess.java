package mayfly.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import mayfly.linux.LiveProcess;
import mayfly.linux.proc.PageMap;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.HeldPath;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/** A scripted process. Its root directory is a temporary folder. */
final class ScriptedProcess implements AuditedProcess, AutoCloseable {
    static final int PID = 7;

    private final LiveProcess files;
    private final Path root;
    final List<TargetThread> threads = new ArrayList<>();
    /** The stack pointer of each thread that waits. */
    final Map<Integer, Long> waiting = new HashMap<>();

    final Map<Long, byte[]> memory = new HashMap<>();
    final Map<Integer, String> descriptors = new HashMap<>();
    final Map<Long, String> sockets = new HashMap<>();
    /** The copied pages of mapped files, by the start of the mapping. */
    final Map<Long, long[]> copies = new HashMap<>();

    List<String> children = List.of();
    String workingDirectory = "/app";
    long caught;
    long ignored;
    long blocked;
    boolean hasEnded;

    ScriptedProcess(Path root) throws Exception {
        this.root = root;
        this.files = LiveProcess.open(Math.toIntExact(ProcessHandle.current().pid()));
        Files.createDirectories(root.resolve("tmp"));
        Files.createDirectories(root.resolve("app"));
    }

    /** Returns the process whose files this one uses: that of the test. */
    LiveProcess own() {
        return files;
    }

    Path path(String path) {
        return root.resolve(path.substring(1));
    }

    private void requireAlive() throws IOException {
        if (hasEnded) {
            throw new NoSuchFileException("/proc/" + PID);
        }
    }

    @Override
    public int pid() {
        return PID;
    }

    @Override
    public int innermostPid() {
        return PID;
    }

    @Override
    public long startTicks() {
        return 1234;
    }

    @Override
    public void forEachCopy(Mapping mapping, PageMap.Each<NotSeen> each) throws IOException, NotSeen {
        requireAlive();
        for (long page : copies.getOrDefault(mapping.start(), new long[0])) {
            each.page(page);
        }
    }

    @Override
    public Memory memory() {
        return (address, to, offset, length) -> {
            byte[] bytes = memory.get(address);
            if (bytes == null || bytes.length < length) {
                throw new MemoryFault(address, length);
            }
            System.arraycopy(bytes, 0, to, offset, length);
        };
    }

    @Override
    public List<TargetThread> threads() throws IOException {
        requireAlive();
        return threads;
    }

    @Override
    public @Nullable TargetThread thread(int tid) {
        return threads.stream()
                .filter(thread -> thread.tid() == tid)
                .findFirst()
                .orElse(null);
    }

    @Override
    public int innermostTid(int tid) {
        return tid;
    }

    @Override
    public OptionalLong waitingAt(int tid) {
        return waiting.containsKey(tid) ? OptionalLong.of(waiting.get(tid)) : OptionalLong.empty();
    }

    @Override
    public Map<Integer, String> descriptors() throws IOException {
        requireAlive();
        return descriptors;
    }

    @Override
    public Map<Long, String> sockets(Set<Long> inodes) {
        return new HashMap<>(sockets);
    }

    @Override
    public HeldPath hold(String path) throws IOException {
        return files.files().hold(path(path).toString());
    }

    @Override
    public String workingDirectory() {
        return workingDirectory;
    }

    @Override
    public HeldPath holdWorkingDirectory() throws IOException {
        return hold(workingDirectory);
    }

    @Override
    public ProcStatus status() throws IOException {
        requireAlive();
        return new ProcStatus("java", 'S', PID, 0, 1, 1, 1, 1, List.of(PID), 0, blocked, ignored, caught, 0);
    }

    @Override
    public List<String> children() {
        return children;
    }

    @Override
    public void close() {
        files.close();
    }
}
