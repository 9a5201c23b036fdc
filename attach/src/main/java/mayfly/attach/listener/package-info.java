/**
 * Has a JVM load the host's library, by the JVM's own attach listener: a socket that the JVM opens when it is asked to
 * by a file and a signal.
 *
 * <p>The bytes of the library come in; afterwards the JVM has loaded it. Start reading at {@link AttachListener}, which
 * starts the listener and sends the request, and at {@link HostLibraryFile}, which puts the library into a directory of
 * the target. {@link JvmCapabilities} and {@link Mounts} determine whether a JVM and a directory permit this. {@link
 * CleanupProcess} removes files that Mayfly could not remove.
 *
 * <p>A signal and a request cannot be revoked: the JVM may act on them long after Mayfly has given up. So the signal is
 * sent only to a process that handles it, a file remains while a signal or a request may still depend on it, and the
 * cleanup process removes it if Mayfly dies. Only the target's user can read the file.
 */
@NullMarked
package mayfly.attach.listener;

import org.jspecify.annotations.NullMarked;
