package mayfly.hotspot.code;

import java.util.Map;

/**
 * A monitor that a compiled method has entered, or that the compiler has eliminated: MonitorValue in debugInfo.hpp.
 *
 * @param scope the method, by its position among the scopes of the PcDesc: 0 is the innermost
 * @param eliminated true if the code does not enter the monitor
 * @param place the location of the reference to its object
 * @param narrow true if the reference is compressed
 * @param number the location in that place
 */
public record MonitorValue(int scope, boolean eliminated, Place place, boolean narrow, int number) {

    /** The location of the reference to an object. */
    public enum Place {
        /** On the stack, {@code number} bytes above the stack pointer of the complete frame. */
        STACK,
        /** In the register with this {@code VMReg}. */
        REGISTER,
        /** In the nmethod's table of references, at this position; 0 is the null reference, 1 the first entry. */
        CONSTANT,
        /** The object is never allocated. Its class is at this position in the table; 0 if it is not known. */
        REPLACED,
        /** Not known. */
        UNKNOWN
    }

    /**
     * Returns this monitor with the class of an object that is never allocated.
     *
     * @param classes for each object, the position of its class in the table
     */
    MonitorValue withClass(Map<Integer, Integer> classes) {
        return place != Place.REPLACED
                ? this
                : new MonitorValue(scope, eliminated, place, narrow, classes.getOrDefault(number, 0));
    }
}
