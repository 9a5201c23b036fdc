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

/**
 * The part of a process that an audit reads from the kernel; {@link LiveProcess} describes each method. Every method
 * throws {@link IOException} if the process has ended, or may not be read.
 */
interface AuditedProcess {
    int pid();

    int innermostPid() throws IOException;

    long startTicks();

    Memory memory();

    List<TargetThread> threads() throws IOException;

    /** Returns a thread, or null if it has ended. */
    @Nullable
    TargetThread thread(int tid) throws IOException;

    int innermostTid(int tid);

    OptionalLong waitingAt(int tid);

    Map<Integer, String> descriptors() throws IOException;

    /** Reports the pages of a mapped file of which the process has a copy: see {@link PageMap}. */
    void forEachCopy(Mapping mapping, PageMap.Each<NotSeen> each) throws IOException, NotSeen;

    Map<Long, String> sockets(Set<Long> inodes) throws IOException;

    HeldPath hold(String path) throws IOException;

    String workingDirectory() throws IOException;

    HeldPath holdWorkingDirectory() throws IOException;

    ProcStatus status() throws IOException;

    List<String> children() throws IOException;
}
