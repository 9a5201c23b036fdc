package mayfly.api.heap;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.api.ClassId;
import mayfly.api.Enumerated;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;

/** The heap of the runtime, part of {@link mayfly.api.ProfilerInfo}. Its rules for calls apply here. */
public interface HeapInfo {

    /**
     * Requests a garbage collection of the whole heap and waits for it, as {@link System#gc}, also with
     * {@code -XX:+DisableExplicitGC}. The duration is proportional to the live heap; all threads are stopped meanwhile,
     * unless the garbage collector works concurrently. Do not call it from a callback whose thread may hold locks of
     * the program.
     *
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete};
     *         {@link Status#FAILED} if, with {@code -XX:+DisableExplicitGC}, the attach listener does not answer within
     *         five seconds; the collection may still take place
     */
    CollectionOutcome forceGarbageCollection();

    /**
     * Counts the live objects of each class, with array classes, by the JVM's own command ({@code jcmd PID
     * GC.class_histogram}). The JVM collects first, except Epsilon, and then visits every object while all threads are
     * stopped: the duration is proportional to the heap. A hidden class and a class that has no instances have no id
     * here; without a subscription that needs JVMTI, only classes in {@code java} and arrays of them or of primitive
     * types have one.
     *
     * @throws ProfilerException {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete};
     *         {@link Status#FAILED} if the attach listener belongs to another JVM of the process, does not answer
     *         within a minute, or answers with more than 16 MiB or inconsistently
     */
    Enumerated<ClassCount> classHistogram();

    /**
     * Counts the references of all reachable objects, by the class of the referring object, the class of the object
     * referred to, and the kind of the reference. The referent of a weak reference counts as a field. The
     * objects of the profiler and of the host are counted too.
     *
     * <p>Needs JVMTI, even if no subscribed event does. One visit of the heap stops all threads: its duration is
     * proportional to the number of references. It keeps what JVMTI keeps (docs/footprint.md).
     *
     * @param longest the longest CPU time of the visit, from 1 ms to 1 minute; the pause may be longer if the machine
     *     is busy
     * @throws ProfilerException {@link Status#LASTING_COST_NOT_ACCEPTED} on JDK 21 and later if JVMTI is not in use and
     *         its cost was not accepted; {@link Status#NOT_YET_INITIALIZED} before
     *         {@link Profiler#profilerAttachComplete}; {@link Status#FAILED} if the time is out of range or too short,
     *         if there are more than 131,072 different counts, or if there is no memory for them
     */
    Enumerated<ReferenceCount> countReferences(Duration longest);

    /**
     * Searches for the path of strong references from a root of the garbage collector to the class loader of a class:
     * the reason why the class is still loaded. For a class of the boot loader, the path leads to the class itself. Of
     * several paths, one with the fewest references is returned. A weak or a phantom reference is not part of a path; a
     * soft reference is.
     *
     * <p>The search needs JVMTI, even if no subscribed event does. It visits the heap once for each reference of the
     * path, at most 24 times, and stops all threads during each visit, for at most 150 ms. It keeps what JVMTI keeps
     * (docs/footprint.md), and an id of some bytes for each static field of the classes on the path and for each method
     * on a stack.
     *
     * @return the steps from the root to the loader; empty if no strong reference to it was found within 24 steps: the
     *         next collection may unload the class
     * @throws ProfilerException {@link Status#UNKNOWN_ID} if the class has been unloaded, or the id belongs to another
     *         runtime; {@link Status#LASTING_COST_NOT_ACCEPTED} on JDK 21 and later if JVMTI is not in use and its cost
     *         was not accepted; {@link Status#NOT_YET_INITIALIZED} before {@link Profiler#profilerAttachComplete};
     *         {@link Status#FAILED} if more than 512 MiB of the heap are in use, or a visit takes too long
     */
    Optional<List<ReferenceStep>> pathToLoader(ClassId type);
}
