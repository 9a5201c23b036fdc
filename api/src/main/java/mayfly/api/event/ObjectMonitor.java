package mayfly.api.event;

import mayfly.api.ClassId;

/**
 * The monitor of an object. It does not keep the object alive.
 *
 * @param type the class of the object, which may be an array; that of a {@code static synchronized} method is
 *         {@link Class}
 * @param identity the identity hash code of the object ({@link System#identityHashCode}), which never changes;
 *         different objects rarely have the same
 */
public record ObjectMonitor(ClassId type, int identity) {

    @Override
    public boolean equals(Object other) {
        return other instanceof ObjectMonitor
                && ((ObjectMonitor) other).identity == identity
                && ((ObjectMonitor) other).type.equals(type);
    }

    @Override
    public int hashCode() {
        return identity * 31 + type.hashCode();
    }

    @Override
    public String toString() {
        return "monitor " + Integer.toHexString(identity) + " of " + type;
    }
}
