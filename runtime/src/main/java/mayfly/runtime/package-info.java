/**
 * The interface between the walker and a managed runtime, such as a JVM: it finds the runtime in a process, recognizes
 * its code, steps over its frames, names its methods and lists its threads. HotSpot is one implementation, in the
 * module {@code hotspot}; no class of this package depends on it.
 *
 * <p>A {@link RuntimeLoader} receives the mapped libraries of a process as {@link RuntimeModule}s, and returns a {@link
 * FoundRuntime} for each, with an open {@link ManagedRuntime} or with the {@link RuntimeProblem} that prevents it.
 * During a walk, {@link ManagedRuntime#step} receives a {@link FrameCursor} at one frame, reports the frames there to a
 * {@link FrameSink}, and moves the cursor to the caller. Start reading at {@link ManagedRuntime}.
 *
 * <p>The runtime continues to run while it is read. A step is therefore valid only if its data belongs to the time of
 * the sample. If the implementation cannot confirm this, the {@link Step} that it returns has the reason, and the walk
 * ends.
 */
@org.jspecify.annotations.NullMarked
package mayfly.runtime;
