package mayfly.hotspot.inventory;

import java.util.List;

/**
 * The classes of a VM and their loaders, as they were at one moment. Names are untrusted text.
 *
 * @param loaders each loader that has defined classes
 * @param classes each class, arrays too
 * @param tellsRedefined whether {@link Loaded#redefined} is known
 */
public record LoadedClasses(List<Loader> loaders, List<Loaded> classes, boolean tellsRedefined) {
    /** What the VM's own loader, which is no object, is called. */
    public static final String BOOT = "boot";

    /**
     * A class loader.
     *
     * @param className the name of its class, {@link #BOOT} for the VM's own
     * @param firstClass the first class that it defined, empty if it has defined none
     * @param classes how many it has
     */
    public record Loader(String className, String firstClass, int classes) {
    }

    /**
     * A class.
     *
     * @param name as Java prints it
     * @param loader the name of its loader's class
     * @param redefined whether it was redefined or retransformed since it was loaded
     */
    public record Loaded(String name, String loader, boolean redefined) {
    }

    public LoadedClasses {
        loaders = List.copyOf(loaders);
        classes = List.copyOf(classes);
    }
}
