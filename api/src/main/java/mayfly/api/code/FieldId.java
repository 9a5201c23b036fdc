package mayfly.api.code;

import mayfly.api.ClassId;

/**
 * The id of a field of the runtime. It is valid as long as its class; it may be kept, compared and described later.
 *
 * @param type the class that declares the field
 * @param number the number of the field in its class, which no other field of this class has
 */
public record FieldId(ClassId type, int number) {

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldId && ((FieldId) other).number == number && ((FieldId) other).type.equals(type);
    }

    @Override
    public int hashCode() {
        return type.hashCode() * 31 + number;
    }

    @Override
    public String toString() {
        return "field " + number + " of " + type;
    }
}
