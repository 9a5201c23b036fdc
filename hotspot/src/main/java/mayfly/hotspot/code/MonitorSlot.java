package mayfly.hotspot.code;

/**
 * A monitor that a frame has entered, or that its compiler has eliminated, with the reference to its object as it was
 * copied from the stack.
 *
 * @param scope the method, by its position among those at the program counter: 0 is the innermost
 * @param eliminated true if the code does not enter the monitor
 * @param form the meaning of {@code value}
 */
public record MonitorSlot(int scope, boolean eliminated, Form form, long value) {

    /** The meaning of a value. */
    public enum Form {
        /** A reference, as on a stack. */
        REFERENCE,
        /** A compressed reference. */
        NARROW,
        /** The address of a reference, outside the heap. */
        ADDRESS,
        /** The object is never allocated; the address of a reference to its class object, 0 if that is not known. */
        CLASS_ADDRESS,
        /** The object is not known. */
        UNKNOWN
    }
}
