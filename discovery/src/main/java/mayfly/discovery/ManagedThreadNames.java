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

    /**
     * Returns the full name of a VM's internal thread, derived from the kernel's name, which has at most 15 bytes.
     * Returns the kernel's name if the full name is unknown.
     */
    String wholeName(String kernelsName);
}
