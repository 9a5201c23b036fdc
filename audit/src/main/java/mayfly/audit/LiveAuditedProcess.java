package mayfly.audit;

import java.io.IOException;
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
import mayfly.process.TargetThread;
import org.jspecify.annotations.Nullable;

/** A live process as {@link AuditedProcess}. */
record LiveAuditedProcess(LiveProcess process) implements AuditedProcess {
    @Override
    public int pid() {
        return process.pid();
    }

    @Override
    public int innermostPid() throws IOException {
        return process.facts().innermostPid();
    }

    @Override
    public long startTicks() {
        return process.startTicks();
    }

    @Override
    public Memory memory() {
        return process.memory();
    }

    @Override
    public List<TargetThread> threads() throws IOException {
        return process.threads();
    }

    @Override
    public @Nullable TargetThread thread(int tid) throws IOException {
        return process.thread(tid);
    }

    @Override
    public int innermostTid(int tid) {
        return process.threadFacts().innermostTid(tid);
    }

    @Override
    public OptionalLong waitingAt(int tid) {
        return process.threadFacts().waitingAt(tid);
    }

    @Override
    public Map<Integer, String> descriptors() throws IOException {
        return process.facts().descriptors();
    }

    @Override
    public void forEachCopy(Mapping mapping, PageMap.Each<NotSeen> each) throws IOException, NotSeen {
        PageMap.forEachCopy(process.proc(), mapping, each);
    }

    @Override
    public Map<Long, String> sockets(Set<Long> inodes) throws IOException {
        return process.facts().sockets(inodes);
    }

    @Override
    public HeldPath hold(String path) throws IOException {
        return process.files().hold(path);
    }

    @Override
    public String workingDirectory() throws IOException {
        return process.facts().workingDirectory();
    }

    @Override
    public HeldPath holdWorkingDirectory() throws IOException {
        return process.files().holdWorkingDirectory();
    }

    @Override
    public ProcStatus status() throws IOException {
        return process.status();
    }

    @Override
    public List<String> children() throws IOException {
        return process.facts().children();
    }
}
