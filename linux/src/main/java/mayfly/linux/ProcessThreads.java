package mayfly.linux;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.Stat;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Pidfd;
import mayfly.process.TargetThread;
import mayfly.process.ThreadFacts;
import org.jspecify.annotations.Nullable;

/** The threads of a process, from the directory {@code task} of its directory in /proc. */
final class ProcessThreads implements ThreadFacts {
    private final Pidfd pidfd;
    private final Fd directory;

    ProcessThreads(Pidfd pidfd, Fd directory) {
        this.pidfd = pidfd;
        this.directory = directory;
    }

    List<TargetThread> all() throws IOException {
        List<TargetThread> threads = new ArrayList<>();
        for (int tid : tids()) {
            TargetThread thread = thread(tid);
            if (thread != null) {
                threads.add(thread);
            }
        }
        return threads;
    }

    @Nullable
    TargetThread thread(int tid) throws IOException {
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

    @Override
    public boolean isStillRunning(int tid, long nanos) {
        try {
            Stat stat = Stat.parse(ProcFile.line(proc() + "/task/" + tid + "/stat"));
            long sinceBoot = KernelClock.BOOT.nanos() - (System.nanoTime() - nanos);
            return stat != null && !stat.isExiting() && stat.startTicks() <= sinceBoot / Stat.TICK_NANOS + 1;
        } catch (IOException e) {
            return false; // the thread has ended, or its state cannot be read
        }
    }

    boolean areExiting() {
        try {
            for (int tid : tids()) {
                if (!isExiting(tid)) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return !pidfd.isAlive();
        }
    }

    private boolean isExiting(int tid) throws IOException {
        try {
            Stat stat = Stat.parse(ProcFile.line(proc() + "/task/" + tid + "/stat"));
            return stat != null && stat.isExiting();
        } catch (IOException e) {
            if (ProcFile.isGone(e)) {
                return true;
            }
            throw e;
        }
    }

    @Nullable
    TargetThread byInnermostTid(int tid) throws IOException {
        for (int each : tids()) {
            if (innermostTid(each) == tid) {
                return thread(each);
            }
        }
        return null;
    }

    int[] tids() throws IOException {
        String[] names = new File(proc() + "/task").list();
        if (names == null) {
            if (pidfd.isAlive()) {
                throw new IOException("cannot list /proc/" + pidfd.pid() + "/task");
            }
            return new int[0];
        }
        int[] tids = new int[names.length];
        for (int i = 0; i < names.length; i++) {
            tids[i] = Integer.parseInt(names[i]);
        }
        return tids;
    }

    @Override
    public int innermostTid(int tid) {
        try {
            List<Integer> ids = ProcStatus.parse(ProcFile.text(proc() + "/task/" + tid + "/status", 1 << 16))
                    .namespacePids();
            return ids.isEmpty() ? tid : ids.getLast();
        } catch (IOException e) {
            return -1;
        }
    }

    @Override
    public OptionalLong waitingAt(int tid) {
        try {
            BlockedSyscall waits = BlockedSyscall.read(proc(), tid);
            return waits == null ? OptionalLong.empty() : OptionalLong.of(waits.sp());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public long cpuNanos(int tid) {
        try {
            String line = ProcFile.line(proc() + "/task/" + tid + "/schedstat");
            int blank = line.indexOf(' ');
            return blank <= 0 ? -1 : Long.parseLong(line.substring(0, blank));
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    private String proc() {
        return directory.path();
    }
}
