package mayfly.sampler;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import mayfly.linux.LiveProcess;
import mayfly.process.TargetThread;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.CaptureWriter;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a recording and their names, as the kernel has them. A thread that has ended before it was looked at
 * has the name that it announced, or was born with.
 */
final class ThreadNames {
    private static final int NO_ID = 0;

    private final LiveProcess process;
    private final CaptureWriter writer;
    private final Map<Integer, Integer> indices = new HashMap<>();
    private final Map<Integer, String> announced = new HashMap<>();

    ThreadNames(LiveProcess process, CaptureWriter writer) {
        this.process = process;
        this.writer = writer;
    }

    /**
     * The capture's number of a thread. The kernel gives -1 for one that is about to be gone and has no id any more.
     */
    int index(int tid, long time) throws CaptureWriteException {
        int id = Math.max(tid, NO_ID);
        Integer known = indices.get(id);
        return known != null ? known : add(id, time);
    }

    private int add(int tid, long time) throws CaptureWriteException {
        TargetThread thread = tid == NO_ID ? null : read(tid);
        String name = thread != null ? thread.name() : tid == NO_ID ? "[exiting]"
                : announced.getOrDefault(tid, "[thread " + tid + "]");
        int index = writer.thread(tid, thread != null ? thread.startTicks() : 0, time, name);
        indices.put(tid, index);
        return index;
    }

    private @Nullable TargetThread read(int tid) {
        try {
            return process.thread(tid);
        } catch (IOException e) {
            return null;
        }
    }

    /** A thread has given itself a name. */
    void renamed(int tid, String name, long time) throws CaptureWriteException {
        announced.put(tid, name);
        Integer index = indices.get(tid);
        if (index != null) {
            writer.threadName(index, time, name);
        }
    }

    /**
     * A thread has been created; until it says otherwise it is called like its parent. Its id may have been another's.
     * The end of a thread is no reason to forget it: its last samples may come after the record of its end.
     */
    void born(int parent, int tid) {
        indices.remove(tid);
        String name = announced.get(parent);
        if (name != null) {
            announced.put(tid, name);
        } else {
            announced.remove(tid);
        }
    }
}
