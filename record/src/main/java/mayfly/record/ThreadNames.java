package mayfly.record;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import mayfly.discovery.ManagedThreadNames;
import mayfly.linux.LiveProcess;
import mayfly.process.TargetThread;
import mayfly.profile.capture.CaptureWriteException;
import mayfly.profile.capture.CaptureWriter;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a recording and their names: a Java thread has its Java name, any other the kernel's. A thread that
 * has ended before it was looked at has the name that it announced to the kernel, or was born with.
 */
final class ThreadNames {
    private static final int NO_ID = 0;
    private static final long LOOK_NANOS = 250_000_000;
    /** So often a thread is looked for among those of the runtimes; it may attach to one after it has started. */
    private static final int MOST_LOOKS = 20;

    private final LiveProcess process;
    private final CaptureWriter writer;
    private final ManagedThreadNames runtimes;
    private final Map<Integer, Integer> indices = new HashMap<>();
    /** When the threads that have an index were first sampled. */
    private final Map<Integer, Long> firstSeen = new HashMap<>();
    private final Map<Integer, String> announced = new HashMap<>();
    /** As they were written last. */
    private final Map<Integer, String> javaNames = new HashMap<>();
    /** Threads without a Java name yet, with how often one was looked for. */
    private final Map<Integer, Integer> unnamed = new HashMap<>();
    private boolean isNew;
    private long lastLook;

    ThreadNames(LiveProcess process, CaptureWriter writer, ManagedThreadNames runtimes) {
        this.process = process;
        this.writer = writer;
        this.runtimes = runtimes;
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
        int index = writer.thread(tid, thread != null ? thread.startTicks() : 0, time, runtimes.wholeName(name));
        indices.put(tid, index);
        firstSeen.put(tid, time);
        if (tid != NO_ID) {
            unnamed.put(tid, 0);
            isNew = true;
        }
        return index;
    }

    private @Nullable TargetThread read(int tid) {
        try {
            return process.thread(tid);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Gives threads their Java names, as far as they can be read: new ones at once, others a few times a second.
     *
     * @param now CLOCK_MONOTONIC in ns
     * @param all whether to look for all of them now
     */
    void nameByRuntime(long now, boolean all) throws CaptureWriteException {
        if (unnamed.isEmpty() || !all && !isNew && now - lastLook < LOOK_NANOS) {
            return;
        }
        boolean counts = now - lastLook >= LOOK_NANOS;
        isNew = false;
        lastLook = counts ? now : lastLook;
        Set<Integer> wanted = new HashSet<>(unnamed.keySet());
        for (Map.Entry<Integer, String> named : runtimes.names(wanted).entrySet()) {
            int tid = named.getKey();
            Integer index = indices.get(tid);
            unnamed.remove(tid);
            if (index != null && !named.getValue().equals(javaNames.put(tid, named.getValue()))) {
                writer.threadName(index, now, named.getValue());
            }
        }
        for (Iterator<Map.Entry<Integer, Integer>> left = unnamed.entrySet().iterator(); counts && left.hasNext();) {
            Map.Entry<Integer, Integer> thread = left.next();
            if (thread.setValue(thread.getValue() + 1) >= MOST_LOOKS) {
                left.remove();
            }
        }
    }

    /** A thread has given itself a name in the kernel. A Java thread does that when its Java name changes. */
    void renamed(int tid, String name, long time) throws CaptureWriteException {
        announced.put(tid, name);
        Integer index = indices.get(tid);
        if (index == null) {
            return;
        }
        unnamed.put(tid, 0);
        isNew = true;
        String java = javaNames.get(tid);
        if (java == null || !java.startsWith(name)) {
            javaNames.remove(tid);
            writer.threadName(index, time, runtimes.wholeName(name));
        }
    }

    /**
     * A thread has been created; until it says otherwise it is called like its parent. Its id may have been another's.
     * The end of a thread is no reason to forget it: its last samples may come after the record of its end. Nor is its
     * birth, if its first samples have come before the record of that, from another CPU.
     *
     * @param time CLOCK_MONOTONIC in ns
     */
    void born(int parent, int tid, long time) {
        Long seen = firstSeen.get(tid);
        if (seen != null && seen >= time) {
            return;
        }
        indices.remove(tid);
        javaNames.remove(tid);
        unnamed.remove(tid);
        String name = announced.get(parent);
        if (name != null) {
            announced.put(tid, name);
        } else {
            announced.remove(tid);
        }
    }
}
