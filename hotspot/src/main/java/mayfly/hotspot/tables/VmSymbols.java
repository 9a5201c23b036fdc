package mayfly.hotspot.tables;

import java.util.List;

/** The symbols of one mapped libjvm, with addresses as they are in the target. */
public interface VmSymbols {

    /**
     * A data symbol.
     *
     * @param address where it is in the target
     * @param name its mangled name
     */
    record Named(long address, String name) {
    }

    /** The address of an exported symbol, 0 if there is none. */
    long address(String name);

    /** The data symbols whose mangled names start so. Empty if the library is stripped. */
    List<Named> objectsWithPrefix(String prefix);
}
