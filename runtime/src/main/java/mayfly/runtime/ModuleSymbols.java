package mayfly.runtime;

import java.util.List;

/** The symbols of one mapped file, with addresses as they are in the target. */
public interface ModuleSymbols {

    /**
     * A data symbol.
     *
     * @param address its address in the target
     * @param name its mangled name
     */
    record Named(long address, String name) {}

    /** Returns the address of a symbol, or 0 if there is none; of a stripped file, only exported ones have one. */
    long address(String name);

    /** Returns the data symbols whose mangled names start with a prefix; of a stripped file, only exported ones. */
    List<Named> objectsWithPrefix(String prefix);
}
