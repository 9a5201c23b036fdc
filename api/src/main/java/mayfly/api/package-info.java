/**
 * Profilers that run inside a JVM: attached while it runs, and completely unloaded when they are done.
 *
 * <p>A profiler is a class with a public constructor without parameters that implements {@link mayfly.api.Profiler}.
 * The manifest of its jar describes it:
 *
 * <pre>
 * Mayfly-Profiler: com.example.ClassLoads
 * Mayfly-Api: 1
 * Mayfly-Events: CLASS_LOADS, THREADS
 * Mayfly-Runtimes: one
 * </pre>
 *
 * <p>{@code Mayfly-Events} lists the events that the profiler may subscribe to, so that their cost is known before it
 * is loaded; without this attribute it may not subscribe to any. {@code Mayfly-Runtimes} is the policy for a process
 * with several runtimes: {@code first}, {@code one} (the default) or {@code many}.
 *
 * <p>The profiler runs in its own class loader, whose parent is the platform class loader. It sees the JDK and this
 * module; it does not see the application's classes, and they do not see the profiler. On detach, the host waits until
 * no stack contains code of the profiler, and proves by a garbage collection that nothing refers to it any more.
 * Before it requests its detach, a profiler must therefore end its own threads and unregister everything that it
 * registered in the JVM: hooks, MBeans, handlers, thread locals.
 *
 * <p>An id is valid in the runtime that created it, from its first appearance in an event or an enumeration until the
 * end of its object is reported. Ids may be retained and compared; they do not keep any object alive.
 */
package mayfly.api;
