package mayfly.api.thread;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import mayfly.api.StackFrame;
import mayfly.api.ThreadId;

/**
 * A platform thread with its stack. The stacks of all threads are of the same moment; the other values are read right
 * after it.
 *
 * @param id the thread
 * @param name the thread name: untrusted text
 * @param state the state, as {@link Thread#getState} returns it unless a class of the program overrides it
 * @param cpuNanos the CPU time that the thread has used, ns; empty if the thread has ended, or this JVM does not
 *         describe its threads as expected
 * @param blocker the object for which a parked thread waits, if it is known ({@code LockSupport.getBlocker}); empty for
 *         a thread that waits for a monitor: the JVM reports it only by JVMTI or its management
 * @param frames the frames, leaf first, as {@code doStackSnapshot} reports those of another thread; none for a thread
 *         that has just ended, or has no Java frames
 */
public record ThreadSnapshot(
        ThreadId id,
        String name,
        Thread.State state,
        OptionalLong cpuNanos,
        Optional<Blocker> blocker,
        List<StackFrame> frames) {}
