package mayfly.corpus.python;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.runtime.thread.ManagedThread;

/**
 * The lists of interpreters and threads.
 *
 * @param memory the process's memory
 * @param layout the offsets
 * @param runtime the address of {@code _PyRuntime}
 */
record Interpreters(Memory memory, Layout layout, long runtime) {
    private static final int MAX_INTERPRETERS = 1 << 8;
    private static final int MAX_THREADS = 1 << 14;
    private static final int MAX_CALLS = 1 << 18;

    /** Returns true if an interpreter was created. */
    boolean hasStarted() throws MemoryFault {
        return memory.readLong(runtime + layout.firstInterpreter()) != 0;
    }

    /** Returns the threads. Ignores threads beyond a limit. */
    List<ManagedThread> threads() throws MemoryFault {
        List<ManagedThread> threads = new ArrayList<>();
        long interpreter = memory.readLong(runtime + layout.firstInterpreter());
        for (int i = 0; i < MAX_INTERPRETERS && interpreter != 0; i++) {
            long thread = memory.readLong(interpreter + layout.firstThread());
            while (thread != 0 && threads.size() < MAX_THREADS) {
                threads.add(new ManagedThread((int) memory.readLong(thread + layout.threadId()), thread));
                thread = memory.readLong(thread + layout.nextThread());
            }
            interpreter = memory.readLong(interpreter + layout.nextInterpreter());
        }
        return threads;
    }

    /**
     * Returns the address of the {@code _PyCFrame} of each call of the evaluator on the stacks of all threads. Ignores
     * calls beyond a limit, and the outer calls of an unreadable one.
     */
    TreeSet<Long> calls() throws MemoryFault {
        TreeSet<Long> calls = new TreeSet<>();
        for (ManagedThread thread : threads()) {
            try {
                long call = memory.readLong(thread.handle() + layout.call());
                while (call != 0 && calls.size() < MAX_CALLS && calls.add(call)) {
                    call = memory.readLong(call + layout.outerCall());
                }
            } catch (MemoryFault e) {
                // The thread ended, or changed its list during the read. The frames of its evaluators remain native
                // frames.
                continue;
            }
        }
        return calls;
    }
}
