/**
 * Profilers that run inside a JVM: attached while it runs, and unloaded for good when they are done.
 *
 * <p>A profiler is a class with a public constructor without parameters that implements {@link mayfly.api.Profiler}. Its jar's
 * manifest says what it is:
 *
 * <pre>
 * Mayfly-Profiler: com.example.ClassLoads
 * Mayfly-Api: 1
 * Mayfly-Events: CLASS_LOADS, THREADS
 * Mayfly-Runtimes: one
 * </pre>
 *
 * <p>{@code Mayfly-Events} lists the events it may ask for, so that what they cost is known before anything is loaded;
 * without the line it may ask for none. {@code Mayfly-Runtimes} is its scheme where a process has several runtimes:
 * {@code first}, {@code one} (the default) or {@code many}; this version does not read it yet.
 *
 * <p>The profiler runs in a class loader of its own, whose parent is the platform class loader. It sees the JDK and this
 * package; it does not see the application's classes, and they do not see it. When it is detached the host waits until none
 * of its code is on any stack and proves by a garbage collection that nothing refers to it any more. So before it asks to be
 * detached a profiler ends its own threads and takes back what it gave to the JVM: hooks, MBeans, handlers, thread locals.
 *
 * <p>Ids are valid for the runtime that gave them, from the moment they are seen first, in an event or an enumeration, until
 * the end of the thing is announced. They may be kept and compared; they hold nothing alive.
 */
package mayfly.api;
