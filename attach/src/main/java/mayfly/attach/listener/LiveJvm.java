package mayfly.attach.listener;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.ProcessEnd;
import mayfly.linux.LiveProcess;
import mayfly.linux.PlacedFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.HeldPath;
import mayfly.process.TargetThread;

/** A live process as {@link AskedJvm}. */
record LiveJvm(LiveProcess process) implements AskedJvm {
    @Override
    public int pid() {
        return process.pid();
    }

    @Override
    public int innermostPid() throws IOException {
        return process.facts().innermostPid();
    }

    @Override
    public ProcStatus status() throws IOException {
        return process.status();
    }

    @Override
    public List<String> threadNames() throws IOException {
        return process.threads().stream().map(TargetThread::name).toList();
    }

    @Override
    public List<String> commandLine() throws IOException {
        return process.facts().commandLine();
    }

    @Override
    public Map<Integer, String> descriptors() throws IOException {
        return process.facts().descriptors();
    }

    @Override
    public long maxOpenFiles() throws IOException {
        return process.facts().maxOpenFiles();
    }

    @Override
    public Map<Long, String> sockets(Set<Long> inodes) throws IOException {
        return process.facts().sockets(inodes);
    }

    @Override
    public List<String> mounts() throws IOException {
        return process.facts().mounts();
    }

    @Override
    public String workingDirectory() throws IOException {
        return process.facts().workingDirectory();
    }

    @Override
    public boolean sharesUserNamespace() throws IOException {
        return process.facts().sharesNamespace("user");
    }

    @Override
    public HeldPath hold(String path) throws IOException {
        return process.files().hold(path);
    }

    @Override
    public HeldPath holdItself(String path) throws IOException {
        return process.files().holdItself(path);
    }

    @Override
    public PlacedFile place(String directory, String name, int mode, int owner) throws IOException {
        return process.files().place(directory, name, new byte[0], mode, owner);
    }

    @Override
    public PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        return process.files().placeApart(directory, own, name, content, mode, owner);
    }

    @Override
    public void signal(int signal) throws IOException {
        process.signal(signal);
    }

    @Override
    public boolean isAlive() {
        return process.life().isAlive();
    }

    @Override
    public boolean isEndNear() {
        return ProcessEnd.isNear(process.life());
    }

    @Override
    public AttachFailed ended() {
        return ProcessEnd.of(process);
    }

    @Override
    public Cleanup cleanup(String directory, Deadline deadline) throws IOException, AttachFailed {
        return CleanupProcess.in(directory, process, deadline);
    }
}
