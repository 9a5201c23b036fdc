package mayfly.api;

import java.util.Optional;

/**
 * A module.
 *
 * @param id its id
 * @param name its name; empty for an unnamed module
 */
public record ModuleDescription(ModuleId id, Optional<String> name) {
}
