package mayfly.hotspot.tables;

import java.util.List;

/** The symbols of one mapped libjvm, with their addresses in the target. */
public interface VmSymbols {

    /**
     * A data symbol.
     *
     * @param address its address in the target
     * @param name its mangled name
     */
    record Named(long address, String name) {
    }

    /** Returns the address of an exported symbol, or 0 if there is none. */
    long address(String name);

    /** Returns the data symbols whose mangled names begin with a prefix. Empty if the library is stripped. */
    List<Named> objectsWithPrefix(String prefix);
}
