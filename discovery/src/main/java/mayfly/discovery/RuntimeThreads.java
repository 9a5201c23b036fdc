package mayfly.discovery;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.process.MemoryFault;
import mayfly.runtime.ManagedRuntime;
import mayfly.runtime.thread.ManagedThread;

/** The threads of a target's runtimes with their names. All thread names come from this class. */
public final class RuntimeThreads implements ManagedThreadNames {
    private final InspectedProcess target;
    /** True if the target is in another pid namespace, where its threads have other ids. */
    private final boolean innerNamespace;

    /**
     * Creates the names for the threads of a process.
     *
     * @throws IOException if the process has ended, or its status cannot be read
     */
    public RuntimeThreads(InspectedProcess target) throws IOException {
        this.target = target;
        this.innerNamespace = target.process().status().namespacePids().size() > 1;
    }

    /**
     * A thread of a runtime.
     *
     * @param position its position among the threads of all runtimes
     */
    public record RuntimeThread(ManagedRuntime runtime, ManagedThread thread, int position) {}

    /** Returns the managed threads of every runtime, by the kernel's id in the target's own pid namespace. */
    public Map<Integer, RuntimeThread> all() {
        target.forgetMemory();
        Map<Integer, RuntimeThread> all = new HashMap<>();
        for (ManagedRuntime runtime : target.runtimes()) {
            for (ManagedThread thread : of(runtime)) {
                all.putIfAbsent(thread.tid(), new RuntimeThread(runtime, thread, all.size()));
            }
        }
        return all;
    }

    private static List<ManagedThread> of(ManagedRuntime runtime) {
        try {
            return runtime.threads();
        } catch (MemoryFault e) {
            return List.of(); // the process is exiting, which the next access detects
        }
    }

    /** Returns true if the target is in another pid namespace: {@link #innerTid} then differs from the id here. */
    public boolean areIdsInner() {
        return innerNamespace;
    }

    /** Returns the id of a thread in the target's own pid namespace. */
    public int innerTid(int tid) {
        return innerNamespace ? target.process().threadFacts().innermostTid(tid) : tid;
    }

    @Override
    public Map<Integer, String> names(Collection<Integer> tids) {
        Map<Integer, String> names = new HashMap<>();
        if (target.runtimes().isEmpty()) {
            return names;
        }
        Map<Integer, RuntimeThread> all = all();
        for (int tid : tids) {
            RuntimeThread thread = all.get(innerTid(tid));
            String name = thread == null
                    ? null
                    : thread.runtime().info(thread.thread()).name();
            if (name != null) {
                names.put(tid, name);
            }
        }
        return names;
    }

    @Override
    public String wholeName(String kernelsName) {
        for (ManagedRuntime runtime : target.runtimes()) {
            String name = runtime.wholeThreadName(kernelsName);
            if (!name.equals(kernelsName)) {
                return name;
            }
        }
        return kernelsName;
    }
}
