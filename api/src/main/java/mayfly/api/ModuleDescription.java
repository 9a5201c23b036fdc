package mayfly.api;

import java.util.Optional;

/**
 * The description of a module.
 *
 * @param id the module
 * @param name the module name; empty for an unnamed module
 */
public record ModuleDescription(ModuleId id, Optional<String> name) {}
