/**
 * The Java half of the host, which runs in a target while a profiler is attached. The C library in the same module is
 * the other half.
 *
 * <p>Upcalls from the library come in ({@link Upcall}), and calls of the profiler go out. Start reading at
 * {@link Host}, one hosted profiler from its first call to its last. {@link Bootstrap}, {@link MemoryLoader} and
 * {@link HostFactory} create it; {@link Events} delivers events, {@link HostedProfilerInfo} is the interface that the
 * profiler calls, and {@link Vm} has the library's services. {@link LoggedEvents} delivers events from the JVM's log,
 * whose lines {@code mayfly.host.log} parses. {@link HostLibrary} alone is not sent to the target: it gives the
 * libraries to the trigger.
 *
 * <p>The classes are defined from memory in their own class loader and are unloaded with it, so nothing in the JVM may
 * refer to them after a detach. They therefore use no lambda, no string concatenation by {@code invokedynamic}, and
 * nothing else that makes the JVM generate a class.
 */
package mayfly.host;
