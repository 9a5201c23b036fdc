package mayfly.linux;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.linux.proc.HeldProcFile;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.SocketTable;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Fd;
import mayfly.process.CpuTime;
import mayfly.process.ProcessFacts;
import org.jspecify.annotations.Nullable;

/** Reads the files in a process's directory in /proc that describe the process as a whole. */
final class ProcFacts implements ProcessFacts, AutoCloseable {
    private static final int MAX_COMMAND_LINE = 4 << 20;
    private static final int MAX_MOUNTS = 16 << 20;

    private final int pid;
    private final Fd directory;
    private final ProcessDescriptors descriptors;
    /** The stat file; null until its first use. */
    private @Nullable HeldProcFile stat;

    ProcFacts(int pid, Fd directory, ProcessDescriptors descriptors) {
        this.pid = pid;
        this.directory = directory;
        this.descriptors = descriptors;
    }

    @Override
    public List<String> commandLine() throws IOException {
        byte[] bytes = ProcFile.bytes(proc() + "/cmdline", MAX_COMMAND_LINE);
        int length = bytes.length > 0 && bytes[bytes.length - 1] == 0 ? bytes.length - 1 : bytes.length;
        if (length == 0) {
            return List.of();
        }
        return List.of(new String(bytes, 0, length, StandardCharsets.UTF_8).split("\0", -1));
    }

    @Override
    public String executable() throws IOException {
        return Files.readSymbolicLink(Path.of(proc(), "exe")).toString();
    }

    @Override
    public String workingDirectory() throws IOException {
        return asItSees(Files.readSymbolicLink(Path.of(proc(), "cwd")).toString());
    }

    @Override
    public String asItSees(String path) throws IOException {
        String top = Files.readSymbolicLink(Path.of(proc(), "root")).toString();
        return top.equals("/") || !path.startsWith(top + "/") ? path : path.substring(top.length());
    }

    ProcStatus status() throws IOException {
        return ProcStatus.parse(ProcFile.text(proc() + "/status", 1 << 16));
    }

    @Override
    public boolean sharesNamespace(String kind) throws IOException {
        return Files.readSymbolicLink(Path.of(proc(), "ns", kind))
                .equals(Files.readSymbolicLink(Path.of("/proc/self/ns", kind)));
    }

    @Override
    public int innermostPid() throws IOException {
        List<Integer> ids = status().namespacePids();
        return ids.isEmpty() ? pid : ids.getLast();
    }

    @Override
    public boolean isTraced() throws IOException {
        return status().tracerPid() != 0;
    }

    @Override
    public Map<Integer, String> descriptors() throws IOException {
        return descriptors.all();
    }

    @Override
    public Map<Long, String> sockets(Set<Long> inodes) throws IOException {
        return SocketTable.of(proc(), inodes);
    }

    @Override
    public List<String> mounts() throws IOException {
        // A mount point may contain a carriage return, which lines() takes for a line end.
        return List.of(ProcFile.text(proc() + "/mounts", MAX_MOUNTS).split("\n"));
    }

    @Override
    public long maxOpenFiles() throws IOException {
        return ProcFile.text(proc() + "/limits", 1 << 16)
                .lines()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split("\\s+")[3])
                .filter(word -> word.matches("[0-9]{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    @Override
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
                continue; // the process has ended
            }
        }
        return children;
    }

    @Override
    public CpuTime cpuTime() throws IOException {
        Stat stat = Stat.parse(statLine());
        if (stat == null) {
            throw new IOException("/proc/" + pid + "/stat is malformed");
        }
        return new CpuTime(stat.userNanos(), stat.systemNanos());
    }

    /** Returns true if the process has begun to exit. */
    boolean isExiting() throws IOException {
        Stat now = Stat.parse(statLine());
        return now != null && now.isExiting();
    }

    private synchronized String statLine() throws IOException {
        HeldProcFile file = stat;
        if (file == null) {
            file = HeldProcFile.open(proc() + "/stat");
            stat = file;
        }
        return file.line();
    }

    private String proc() {
        return directory.path();
    }

    @Override
    public synchronized void close() {
        if (stat != null) {
            stat.close();
        }
    }
}
