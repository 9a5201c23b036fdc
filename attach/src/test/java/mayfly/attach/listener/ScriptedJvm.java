package mayfly.attach.listener;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.LiveProcess;
import mayfly.linux.PlacedFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.HeldPath;

/**
 * A scripted process. Its root directory is a temporary folder, in which files are created as in that of a live
 * process. The words of the cleanup process and the signals are recorded in {@link #events}.
 */
final class ScriptedJvm implements AskedJvm, AutoCloseable {
    static final int PID = 7;
    private static final long CATCHES_SIGQUIT = 1L << 2;

    final List<String> events = new ArrayList<>();
    private final LiveProcess files;
    private final Path root;
    long caughtSignals = CATCHES_SIGQUIT;
    char state = 'S';
    List<String> commandLine = List.of("java", "Main");
    List<String> mounts = List.of();
    List<String> threadNames = List.of("java", "Signal Dispatch", "Service Thread");
    long maxOpenFiles = 1024;
    boolean isAlive = true;
    boolean isEndNear;
    Runnable onSignal = () -> {};

    ScriptedJvm(Path root) throws Exception {
        this.root = root;
        this.files = LiveProcess.open(Math.toIntExact(ProcessHandle.current().pid()));
        for (String directory : List.of("tmp", "var/tmp", "app")) {
            Files.createDirectories(root.resolve(directory));
        }
    }

    Path path(String path) {
        return root.resolve(path.substring(1));
    }

    Path socket() {
        return path("/tmp/.java_pid" + PID);
    }

    Path marker() {
        return path("/tmp/.attach_pid" + PID);
    }

    /** Binds the socket of the attach listener. */
    ServerSocketChannel listen() {
        try {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket()));
            return server;
        } catch (IOException e) {
            throw new AssertionError(e);
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
    public ProcStatus status() throws IOException {
        int user = files.status().euid();
        return new ProcStatus("java", state, PID, 0, user, user, user, 1, List.of(PID), 0, 0, 0, caughtSignals, 0);
    }

    @Override
    public List<String> threadNames() {
        return threadNames;
    }

    @Override
    public List<String> commandLine() {
        return commandLine;
    }

    @Override
    public Map<Integer, String> descriptors() {
        return Map.of(0, "/dev/null", 1, "/dev/null", 2, "/dev/null");
    }

    @Override
    public long maxOpenFiles() {
        return maxOpenFiles;
    }

    @Override
    public Map<Long, String> sockets(Set<Long> inodes) {
        return Map.of();
    }

    @Override
    public List<String> mounts() {
        return mounts;
    }

    @Override
    public String workingDirectory() {
        return "/app";
    }

    @Override
    public boolean sharesUserNamespace() {
        return true;
    }

    @Override
    public HeldPath hold(String path) throws IOException {
        return files.files().hold(path(path).toString());
    }

    @Override
    public HeldPath holdItself(String path) throws IOException {
        return files.files().holdItself(path(path).toString());
    }

    @Override
    public PlacedFile place(String directory, String name, int mode, int owner) throws IOException {
        return files.files().place(path(directory).toString(), name, new byte[0], mode, owner);
    }

    @Override
    public PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        return files.files().placeApart(path(directory).toString(), own, name, content, mode, owner);
    }

    @Override
    public void signal(int signal) {
        events.add("signal " + signal + (Files.exists(marker()) ? " with" : " without") + " the marker");
        onSignal.run();
    }

    @Override
    public boolean isAlive() {
        return isAlive;
    }

    @Override
    public boolean isEndNear() {
        return isEndNear;
    }

    @Override
    public AttachFailed ended() {
        return new AttachFailed(new Refused(Reason.TARGET_GONE, "process " + PID + " has ended", ""));
    }

    @Override
    public Cleanup cleanup(String directory, Deadline deadline) {
        return new Cleanup() {
            @Override
            public void made(String name) {
                events.add("made");
            }

            @Override
            public void sent() {
                events.add("sent");
            }

            @Override
            public void loading() {
                events.add("loading");
            }

            @Override
            public void gone() {
                events.add("gone");
            }

            @Override
            public void close() {
                events.add("closed");
            }
        };
    }

    @Override
    public void close() {
        files.close();
    }
}
