package mayfly.audit;

import mayfly.hotspot.inventory.ThreadOwner;
import org.jspecify.annotations.Nullable;

/**
 * A thread in a JVM's thread list.
 *
 * @param name its name, untrusted text; null if it could not be read
 * @param owner the code that started it
 */
record KnownThread(@Nullable String name, ThreadOwner owner) {}
