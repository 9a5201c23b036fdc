package mayfly.discovery;

import java.util.Collection;
import java.util.Map;

/** The names that runtimes give to their threads. */
public interface ManagedThreadNames {
    /**
     * Returns the managed names of the given threads, by the kernel's id. Threads without a readable managed name are
     * missing.
     */
    Map<Integer, String> names(Collection<Integer> tids);

    /** Returns the full name of a VM's internal thread, of which the kernel stores 15 bytes. */
    String wholeName(String kernelsName);
}
