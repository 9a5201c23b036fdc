package mayfly.targets;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/** A module without packages, in a layer and a class loader of its own. */
final class OneModule extends ModuleReference implements ModuleFinder {
    private OneModule(String name) {
        super(ModuleDescriptor.newModule(name).build(), URI.create("memory:/" + name));
    }

    /** Defines a module. */
    static ModuleLayer layer(String name) {
        ModuleLayer boot = ModuleLayer.boot();
        return boot.defineModulesWithOneLoader(
                boot.configuration().resolve(new OneModule(name), ModuleFinder.of(), Set.of(name)), null);
    }

    @Override
    public ModuleReader open() throws IOException {
        throw new IOException("a module without files");
    }

    @Override
    public Optional<ModuleReference> find(String name) {
        return name.equals(descriptor().name()) ? Optional.of(this) : Optional.empty();
    }

    @Override
    public Set<ModuleReference> findAll() {
        return Set.of(this);
    }
}
