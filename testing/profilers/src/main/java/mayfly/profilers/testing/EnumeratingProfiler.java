package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;

/**
 * Records, once each, every thread, class and module that is reported to it or that its enumeration finds. It
 * enumerates as soon as that is permitted. It answers {@code completed} with the time of the enumeration, and
 * {@code seen} with each thread and class and its origin: {@code told} by an event, {@code found} by the enumeration,
 * or {@code both}; and with {@code module of NAME} for each class whose module was not reported.
 */
public final class EnumeratingProfiler implements Profiler {
    private final Set<ThreadId> threadsTold = ConcurrentHashMap.newKeySet();
    private final Set<ClassId> classesTold = ConcurrentHashMap.newKeySet();
    private final Set<ModuleId> modules = ConcurrentHashMap.newKeySet();
    /** Names by id: the name of an ended thread is no longer available. */
    private final TreeMap<Long, String> threadNames = new TreeMap<>();

    private ProfilerInfo info;
    private long completed;
    private List<ThreadId> threadsFound = List.of();
    private List<ClassId> classesFound = List.of();

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        info.setEventMask(Set.of(Event.THREADS, Event.CLASS_LOADS, Event.MODULE_LOADS));
    }

    @Override
    public void profilerAttachComplete() {
        completed = System.nanoTime();
        threadsFound = info.enumerateThreads().items();
        classesFound = info.enumerateClasses().items();
        modules.addAll(info.enumerateModules().items());
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        told(thread);
    }

    /** Records a thread whose start was not reported because it was too early. */
    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        told(thread);
    }

    /** Runs on the thread itself. */
    private void told(ThreadId thread) {
        threadsTold.add(thread);
        synchronized (threadNames) {
            threadNames.put(thread.value(), Thread.currentThread().getName());
        }
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        classesTold.add(type);
    }

    @Override
    public void moduleLoaded(Stamp at, ModuleId module) {
        modules.add(module);
    }

    @Override
    public byte[] command(byte[] command) {
        String asked = new String(command, StandardCharsets.UTF_8);
        String answer = asked.equals("completed") ? Long.toString(completed) : seen();
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    private String seen() {
        StringBuilder lines = new StringBuilder();
        Set<ThreadId> threads = ConcurrentHashMap.newKeySet();
        threads.addAll(threadsTold);
        threads.addAll(threadsFound);
        for (ThreadId id : threads) {
            lines.append(how(threadsTold.contains(id), threadsFound.contains(id)))
                    .append(" thread ")
                    .append(name(id))
                    .append('\n');
        }
        Set<ClassId> classes = ConcurrentHashMap.newKeySet();
        classes.addAll(classesTold);
        classes.addAll(classesFound);
        Set<ClassId> found = Set.copyOf(classesFound);
        for (ClassId id : classes) {
            add(lines, how(classesTold.contains(id), found.contains(id)), id);
        }
        return lines.toString();
    }

    private void add(StringBuilder lines, String how, ClassId id) {
        try {
            ClassDescription type = info.describe(id);
            lines.append(how).append(" class ").append(type.name()).append('\n');
            if (!modules.contains(type.module().orElseThrow())) {
                lines.append("module of ").append(type.name()).append('\n');
            }
        } catch (ProfilerException e) {
            lines.append(how).append(" class ").append(e.status().name()).append('\n');
        }
    }

    private static String how(boolean told, boolean found) {
        if (told && found) {
            return "both";
        }
        return told ? "told" : "found";
    }

    private String name(ThreadId id) {
        synchronized (threadNames) {
            String name = threadNames.get(id.value());
            if (name != null) {
                return name;
            }
        }
        try {
            return info.describe(id).name();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }
}
