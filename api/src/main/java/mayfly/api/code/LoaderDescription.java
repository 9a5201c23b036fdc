package mayfly.api.code;

import java.util.Optional;

/**
 * The description of a class loader.
 *
 * @param id the loader
 * @param className the name of the loader's class
 * @param name the loader's own name, such as {@code app}: untrusted text
 * @param parent the loader to which it delegates; empty for the boot loader. A loader of the program may delegate to
 *         others as well
 */
public record LoaderDescription(LoaderId id, String className, Optional<String> name, Optional<LoaderId> parent) {}
