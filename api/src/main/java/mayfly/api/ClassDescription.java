package mayfly.api;

import java.util.Optional;

/**
 * The description of a class.
 *
 * @param id the class
 * @param name the binary name with dots, such as {@code java.util.Map$Entry}; the name of a hidden class contains a
 *         {@code /}
 * @param module the module of the class
 * @param loader the class name of the class loader, followed by {@code @} and its identity hash code in
 *         hexadecimal, which two loaders may share; empty for the boot loader
 */
public record ClassDescription(ClassId id, String name, ModuleId module, Optional<String> loader) {}
