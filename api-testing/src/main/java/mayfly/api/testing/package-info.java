/**
 * Tests of a profiler that was written against {@code mayfly.api}, in a real JVM. {@link
 * mayfly.api.testing.TargetProgram} starts the JVM, {@link mayfly.api.testing.TargetJvm} attaches the profiler, and
 * {@link mayfly.api.testing.AttachedProfiler} drives and detaches it, and verifies that nothing of it is left.
 *
 * <pre>{@code
 * try (TargetJvm jvm = TargetProgram.of(Shop.class).readyWhenPrinted("ready").start();
 *         AttachedProfiler profiler = jvm.attach(Path.of("target/my-profiler.jar"))) {
 *     profiler.awaitAnswer("top", "com.example.Shop");
 *     profiler.detach();
 *     profiler.assertNothingLeft();
 * }
 * }</pre>
 *
 * <p>The package needs no test framework, and works with any of them. Every step is a command of the installed Mayfly,
 * which {@link mayfly.client.Mayfly#find} finds. An expectation that is not met is an {@link java.lang.AssertionError};
 * a step that cannot be carried out is a {@link mayfly.api.testing.ProfilerTestException}. The message of both contains
 * what the program has printed. Every wait has a time limit. Nothing is printed.
 *
 * <p>Version 0 makes no promise of compatibility between minor releases.
 */
@NullMarked
package mayfly.api.testing;

import org.jspecify.annotations.NullMarked;
