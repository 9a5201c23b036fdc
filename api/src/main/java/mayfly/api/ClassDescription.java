package mayfly.api;

import java.util.Optional;
import mayfly.api.code.LoaderId;

/**
 * The description of a class.
 *
 * @param id the class
 * @param name the binary name with dots, such as {@code java.util.Map$Entry}; the name of a hidden class contains a
 *         {@code /}
 * @param module the module of the class; empty for a class that was reported
 *         {@linkplain mayfly.api.event.Delivery#ASYNCHRONOUS asynchronously}
 * @param loader the class name of the class loader, followed by {@code @} and its identity hash code in
 *         hexadecimal, which two loaders may share; empty for the boot loader. For a class that was reported
 *         asynchronously, the number is the address of the JVM's data of the loader, and the class name is absent if
 *         the class was loaded before
 * @param loaderId the class loader; empty for the boot loader, and for a class that was reported asynchronously
 */
public record ClassDescription(
        ClassId id, String name, Optional<ModuleId> module, Optional<String> loader, Optional<LoaderId> loaderId) {}
