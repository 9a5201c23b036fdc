/**
 * The JVM's own attach listener: it is started, and asked to load the host's library from a file that is removed
 * immediately afterwards.
 */
@NullMarked
package mayfly.attach.listener;

import org.jspecify.annotations.NullMarked;
