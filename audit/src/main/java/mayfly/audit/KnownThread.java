package mayfly.audit;

import mayfly.hotspot.inventory.ThreadOwner;
import org.jspecify.annotations.Nullable;

/**
 * A thread that a JVM has in its list.
 *
 * @param name its name, untrusted text; null if it could not be read
 * @param owner the code that started it
 */
record KnownThread(@Nullable String name, ThreadOwner owner) {
}
