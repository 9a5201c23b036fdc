/** Tables of the program's objects by their ids, which keep no object alive. Nothing here calls the JVM. */
@NullMarked
package mayfly.host.id;

import org.jspecify.annotations.NullMarked;
