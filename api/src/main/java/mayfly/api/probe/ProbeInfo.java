package mayfly.api.probe;

import java.util.List;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;

/**
 * The probes of the profiler, part of {@link mayfly.api.ProfilerInfo}. Its rules for calls apply here. All methods need
 * a subscription to {@link Event#METHOD_PROBES}.
 */
public interface ProbeInfo {

    /**
     * Adds a probe to each method that matches a pattern, in the classes that are loaded and linked now: the JVM
     * changes the code of their classes, and from then on calls {@link Profiler#methodEntered} and {@link
     * Profiler#methodLeft} for each call of the method that begins. A call that has begun before continues with the
     * code that it has, and is not reported. Needs {@link Event#METHOD_PROBES}. A profiler has at most 1,000 probes.
     *
     * <p>A pattern is {@code CLASS.METHOD}, or {@code CLASS.METHODDESCRIPTOR} with a JVM descriptor such as
     * {@code (I)V}. {@code *} stands for any characters in the name of a class or a method: {@code com.example.*.get*}.
     * Methods that cannot have a probe are {@linkplain mayfly.api.probe.ProbeRefusal refused}, and the others are
     * probed. If no method matches, nothing changes.
     *
     * <p>The JVM stops all threads while it changes classes. The first change makes it discard much of its compiled
     * code, so the program is slower for a while (docs/footprint.md). Other agents' transformers run on the calling
     * thread. Do not call this with a lock that the program's threads need.
     *
     * @throws ProfilerException {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} without the event, or if this JDK has
     *         no place for the probes' targets; {@link Status#NOT_YET_INITIALIZED} before
     *         {@link Profiler#profilerAttachComplete}; {@link Status#FAILED} if the pattern is malformed, if there
     *         would be more than 1,000 probes, or if the JVM refuses the changed classes. In each of these cases
     *         nothing has changed. {@link Status#IRREVERSIBLE_INSTRUMENTATION} if the change failed and could not be
     *         undone: {@link #probes} lists the probes, {@link #removeProbes} and a detach try again to remove them
     */
    AddedProbes addProbes(String pattern);

    /**
     * Removes the probes of the methods that match a pattern, and verifies that their code is as it was. Calls that run
     * continue with the code that they have, and are not reported any more. The cost is that of {@link #addProbes}.
     * A probe that another agent has taken out ({@link #probes}) does not come back afterwards.
     *
     * @param pattern as for {@link #addProbes}
     * @throws ProfilerException {@link Status#IRREVERSIBLE_INSTRUMENTATION} if the JVM does not restore the code,
     *         because another agent prevents it: all probes are still in place; {@link Status#FAILED} if the pattern is
     *         malformed; {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as
     *         for {@link #addProbes}
     */
    RemovedProbes removeProbes(String pattern);

    /**
     * Switches the reports of the probed methods that match a pattern on or off. No class is changed; a method that
     * does not report keeps its probe, which costs some nanoseconds. New probes report.
     *
     * @param pattern as for {@link #addProbes}
     * @return the number of methods that match and for which a probe was added and not removed
     * @throws ProfilerException {@link Status#FAILED} if the pattern is malformed;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as for
     *         {@link #addProbes}
     */
    int setProbesReporting(String pattern, boolean reporting);

    /**
     * Returns the methods that contain a probe now, in no particular order: the host reads their code. A method whose
     * code another agent has replaced by code without the probe is not among them, and its calls are not reported. If
     * the agent retransforms the class again and leaves the probe in, the probe is back.
     *
     * @throws ProfilerException {@link Status#FAILED} if the code of a class cannot be read, because the heap is full;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as for
     *         {@link #addProbes}
     */
    List<ProbedMethod> probes();

    /**
     * Counts the stack frames of platform threads that run code which has been replaced, as
     * {@link RemovedProbes#framesOfReplacedCode}. Each thread is stopped while its stack is read. {@code mayfly status}
     * shows the last count.
     *
     * @throws ProfilerException {@link Status#FAILED} if the JVM does not enumerate its threads or its heap is full;
     *         {@link Status#UNSUPPORTED_FOR_ATTACHING_PROFILER} and {@link Status#NOT_YET_INITIALIZED} as for
     *         {@link #addProbes}
     */
    int framesOfReplacedCode();
}
