/**
 * Starts the JVM's own attach listener, and requests that it load the host's library from a file, which is removed
 * immediately afterwards.
 */
@NullMarked
package mayfly.attach.listener;

import org.jspecify.annotations.NullMarked;
