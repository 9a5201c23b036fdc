package mayfly.hotspot.inventory;

import java.util.List;

/**
 * The classes of a VM and their loaders at one moment. Names are untrusted text.
 *
 * @param loaders each class loader of the VM, including those that have defined no class
 * @param classes each class, including arrays
 * @param redefinedKnown true if {@link Loaded#redefined} is known
 */
public record LoadedClasses(List<Loader> loaders, List<Loaded> classes, boolean redefinedKnown) {
    /** The name used for the boot loader, which is not an object. */
    public static final String BOOT = "boot";

    /**
     * A class loader.
     *
     * @param className the name of its class; {@link #BOOT} for the boot loader
     * @param firstClass the first class that it defined; empty if it has defined none
     * @param classes the number of its classes
     */
    public record Loader(String className, String firstClass, int classes) {}

    /**
     * A class.
     *
     * @param name the name as Java prints it
     * @param loader the name of its loader's class
     * @param redefined true if it was redefined or retransformed since it was loaded
     */
    public record Loaded(String name, String loader, boolean redefined) {}

    public LoadedClasses {
        loaders = List.copyOf(loaders);
        classes = List.copyOf(classes);
    }
}
