/**
 * The interface between the walker and a managed runtime, such as a JVM. An implementation finds the runtime in a
 * process, recognizes its code, steps over its frames, names its methods and lists its threads. The module {@code
 * hotspot} has one for HotSpot; no class of this package depends on it.
 *
 * <p>A {@link RuntimeLoader} receives the mapped libraries of a process as {@link RuntimeModule}s, and returns an
 * {@link Examination} of them. Each {@link ExaminedLibrary} in it opens a {@link FoundRuntime}, with an open
 * {@link ManagedRuntime} or with the {@link RuntimeProblem} that prevents it.
 * During a walk, {@link ManagedRuntime#step} receives a {@link FrameCursor} at one frame, reports the frames there to a
 * {@link FrameSink}, and moves the cursor to the caller. Start reading at {@link ManagedRuntime}.
 *
 * <p>The runtime continues to run while it is read. A step is therefore valid only if its data belongs to the time of
 * the sample. If the implementation cannot confirm this, the {@link Step} that it returns has the reason, and the walk
 * ends.
 */
@org.jspecify.annotations.NullMarked
package mayfly.runtime;
