package mayfly.api.thread;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import mayfly.api.StackFrame;
import mayfly.api.ThreadId;

/**
 * A platform thread with its stack. The stacks of all threads are of the same moment. The name and the CPU time are
 * read right after it. The state and {@code blocker} are read right after it if the walk does not report locks; if it
 * does, they are of the same moment as the stacks and the locks.
 *
 * @param id the thread
 * @param name the thread name: untrusted text
 * @param state the state, as {@link Thread#getState} returns it unless a class of the program overrides it. If the walk
 *     reports locks, a thread that waits for a monitor which has no owner at that moment is runnable
 * @param cpuNanos the CPU time that the thread has used, ns; empty if the thread has ended, or this JVM does not
 *         describe its threads as expected
 * @param blocker the object for which a parked thread waits, if it is known ({@code LockSupport.getBlocker}); if the
 *         walk reports locks, also the object whose monitor a thread waits to enter, or for whose notification it waits
 *         ({@link Object#wait()})
 * @param locks the locks, if the walk reports them and the thread has not ended
 * @param frames the frames, leaf first, as {@code doStackSnapshot} reports those of another thread; none for a thread
 *         that has just ended, or has no Java frames
 */
public record ThreadSnapshot(
        ThreadId id,
        String name,
        Thread.State state,
        OptionalLong cpuNanos,
        Optional<Blocker> blocker,
        Optional<ThreadLocks> locks,
        List<StackFrame> frames) {}
