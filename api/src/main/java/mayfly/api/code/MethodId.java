package mayfly.api.code;

import mayfly.api.ClassId;

/**
 * The id of a method of the runtime. It is valid as long as its class; it may be kept, compared and described later.
 *
 * @param type the class that declares the method
 * @param number the number of the method in its class, which no other method of this class has; it is not related to
 *         the order in the class file
 */
public record MethodId(ClassId type, int number) {

    @Override
    public boolean equals(Object other) {
        return other instanceof MethodId && ((MethodId) other).number == number && ((MethodId) other).type.equals(type);
    }

    @Override
    public int hashCode() {
        return type.hashCode() * 31 + number;
    }

    @Override
    public String toString() {
        return "method " + number + " of " + type;
    }
}
