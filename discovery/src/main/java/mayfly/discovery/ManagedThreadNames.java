package mayfly.discovery;

import java.util.Collection;
import java.util.Map;

/** The names that runtimes give to their threads. */
public interface ManagedThreadNames {
    /** The managed names of threads, of as many of these as have one that can be read, by the kernel's id. */
    Map<Integer, String> names(Collection<Integer> tids);

    /** The name of a VM's internal thread, of which the kernel keeps 15 bytes. */
    String wholeName(String kernelsName);
}
