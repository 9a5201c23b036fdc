package mayfly.api;

import java.util.Optional;

/**
 * A class.
 *
 * @param id its id
 * @param name its binary name with dots, such as {@code java.util.Map$Entry}; a hidden class has a {@code /} in it
 * @param module its module
 * @param loader the name of its class loader's class, followed by {@code @} and a number that tells loaders apart; empty for
 *        the boot loader
 */
public record ClassDescription(ClassId id, String name, ModuleId module, Optional<String> loader) {
}
