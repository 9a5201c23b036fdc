/**
 * Mayfly as a library. {@link mayfly.client.Mayfly} finds the installed command {@code mayfly}; its methods describe a
 * recording, a stack dump, an attach or an audit, {@code run()} executes the description in a child process, and the
 * result is a Java type.
 *
 * <pre>{@code
 * Mayfly mayfly = Mayfly.find();
 * Recording cpu = mayfly.record(pid).duration(Duration.ofSeconds(10)).to(Path.of("cpu.html")).run();
 * System.out.println(cpu.samples() + " samples, " + cpu.complete() + " complete: " + cpu.file());
 * }</pre>
 *
 * <h2>Compatibility</h2>
 *
 * <p>This package follows semantic versioning: a release with the same major version keeps every public type and method
 * and its meaning. A minor release may add methods to a type, constants to {@link mayfly.client.MayflyException.Reason}
 * and kinds of {@link mayfly.client.Frame}: a {@code switch} over them needs a {@code default}. The interfaces are
 * sealed, because only this package implements them. Strings that name kinds, states and outcomes are those of the
 * command's JSON, which may get new ones; docs/formats explains them. The texts of messages may change. Version 0 makes
 * no such promise between minor releases.
 *
 * <p>The command may be older or newer than the library, as long as it prints the same schema of JSON. Fields that the
 * library does not know are ignored; an answer without a field that it needs is a
 * {@link mayfly.client.MayflyException.Reason#BAD_ANSWER}.
 *
 * <h2>Behaviour of every call</h2>
 *
 * <p>A call blocks until its command has ended, and leaves no thread behind. It prints nothing, logs nothing and never
 * ends the JVM. If the calling thread is interrupted, the command is ended as by Ctrl-C, and the call throws an
 * {@link java.lang.InterruptedException}; a recording that has samples still writes its file then.
 * {@link mayfly.client.Mayfly#timeLimit} limits the time of each call. All types but
 * {@link mayfly.client.Attachment.Emissions} are immutable, and all their methods may be called by several threads.
 */
@NullMarked
package mayfly.client;

import org.jspecify.annotations.NullMarked;
