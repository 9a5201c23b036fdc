package mayfly.record;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.discovery.ManagedThreadNames;
import mayfly.linux.LiveProcess;
import mayfly.process.TargetThread;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.capture.CaptureWriter;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a recording and their names: the Java name of a Java thread, the kernel's name of any other. A thread
 * that ended before its name was read has the name that it set in the kernel, or inherited from its parent.
 */
final class ThreadNames {
    private static final int NO_ID = 0;
    private static final long LOOK_NANOS = 250_000_000;
    /** The number of lookups of a new thread at the shorter interval. */
    private static final int MAX_LOOKS = 20;
    /** The interval after that: a native thread may attach to a JVM at any time. */
    private static final long LATE_LOOK_NANOS = 5_000_000_000L;

    /** The threads of a process, as the kernel reports them. */
    interface ListedThreads {
        /** Returns a thread; null if there is none with this id. */
        @Nullable
        TargetThread thread(int tid) throws IOException;

        /** Returns the ids of all threads. */
        int[] tids() throws IOException;

        static ListedThreads of(LiveProcess process) {
            return new ListedThreads() {
                @Override
                public @Nullable TargetThread thread(int tid) throws IOException {
                    return process.thread(tid);
                }

                @Override
                public int[] tids() throws IOException {
                    return process.tids();
                }
            };
        }
    }

    private final ListedThreads process;
    private final CaptureWriter writer;
    private final ManagedThreadNames runtimes;
    private final Map<Integer, Integer> indices = new HashMap<>();
    /** The time of the first sample of each thread with an index. */
    private final Map<Integer, Long> firstSeen = new HashMap<>();

    private final Map<Integer, String> announced = new HashMap<>();
    /** The names as last written. */
    private final Map<Integer, String> javaNames = new HashMap<>();
    /** Threads without a Java name so far, with the number of lookups. */
    private final Map<Integer, Integer> unnamed = new HashMap<>();
    /** Threads that had no Java name in any of the first lookups, and that run. */
    private final Set<Integer> unattached = new HashSet<>();

    private boolean isNew;
    private long lastLook;
    private long lastLateLook;

    ThreadNames(ListedThreads process, CaptureWriter writer, ManagedThreadNames runtimes) {
        this.process = process;
        this.writer = writer;
        this.runtimes = runtimes;
    }

    /**
     * Returns the thread's number in the capture. The kernel reports -1 for an exiting thread that no longer has an
     * id.
     */
    int index(int tid, long time) throws CaptureWriteException {
        int id = Math.max(tid, NO_ID);
        Integer known = indices.get(id);
        return known != null ? known : add(id, time);
    }

    private int add(int tid, long time) throws CaptureWriteException {
        TargetThread thread = tid == NO_ID ? null : read(tid);
        String unread = tid == NO_ID ? "[exiting]" : announced.getOrDefault(tid, "[thread " + tid + "]");
        String name = thread != null ? thread.name() : unread;
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
     * Sets the Java names of threads, as far as they can be read: new threads at once, others a few times a second, and
     * every five seconds those that have had none for some seconds.
     *
     * @param now CLOCK_MONOTONIC in ns
     * @param all true to look up all of them now
     */
    void nameByRuntime(long now, boolean all) throws CaptureWriteException {
        if (!unattached.isEmpty() && (all || now - lastLateLook >= LATE_LOOK_NANOS)) {
            lastLateLook = now;
            forgetEnded();
            name(unattached, now);
        }
        if (unnamed.isEmpty() || !all && !isNew && now - lastLook < LOOK_NANOS) {
            return;
        }
        boolean counts = now - lastLook >= LOOK_NANOS;
        isNew = false;
        lastLook = counts ? now : lastLook;
        name(unnamed.keySet(), now);
        for (Iterator<Map.Entry<Integer, Integer>> left = unnamed.entrySet().iterator(); counts && left.hasNext(); ) {
            Map.Entry<Integer, Integer> thread = left.next();
            if (thread.setValue(thread.getValue() + 1) >= MAX_LOOKS) {
                unattached.add(thread.getKey());
                left.remove();
            }
        }
    }

    private void forgetEnded() {
        try {
            unattached.retainAll(Arrays.stream(process.tids()).boxed().collect(Collectors.toSet()));
        } catch (IOException e) {
            unattached.clear(); // the process has ended
        }
    }

    /** Sets the Java names of some threads. Removes the threads that have one from the set. */
    private void name(Set<Integer> tids, long now) throws CaptureWriteException {
        for (Map.Entry<Integer, String> named :
                runtimes.names(new HashSet<>(tids)).entrySet()) {
            int tid = named.getKey();
            Integer index = indices.get(tid);
            tids.remove(tid);
            if (index != null && !named.getValue().equals(javaNames.put(tid, named.getValue()))) {
                writer.threadName(index, now, named.getValue());
            }
        }
    }

    /** Records that a thread has set its name in the kernel. A Java thread does so when its Java name changes. */
    void renamed(int tid, String name, long time) throws CaptureWriteException {
        announced.put(tid, name);
        Integer index = indices.get(tid);
        if (index == null) {
            return;
        }
        unnamed.put(tid, 0);
        unattached.remove(tid);
        isNew = true;
        String java = javaNames.get(tid);
        if (java == null || !java.startsWith(name)) {
            javaNames.remove(tid);
            writer.threadName(index, time, runtimes.wholeName(name));
        }
    }

    /**
     * Records that a thread has been created. It has its parent's name until it sets another, and its id may be reused.
     * A thread is not removed at its end, because its last samples may follow the record of the end. If
     * the first samples of the new thread, from another CPU, preceded the record of its creation, the thread is kept.
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
        unattached.remove(tid);
        String name = announced.get(parent);
        if (name != null) {
            announced.put(tid, name);
        } else {
            announced.remove(tid);
        }
    }
}
