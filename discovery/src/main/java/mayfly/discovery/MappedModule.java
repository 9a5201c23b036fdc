package mayfly.discovery;

import java.util.List;
import java.util.OptionalLong;
import mayfly.binary.elf.ElfSymbols;
import mayfly.runtime.AddressRange;
import mayfly.runtime.ModuleSymbols;
import mayfly.runtime.RuntimeModule;
import mayfly.unwind.NativeModule;
import org.jspecify.annotations.Nullable;

/** A mapped file as a runtime's loader reads it: with symbols at their addresses in the target. */
record MappedModule(NativeModule module) implements RuntimeModule {

    @Override
    public String name() {
        return module.name();
    }

    @Override
    public String path() {
        return module.path();
    }

    @Override
    public long start() {
        return module.start();
    }

    @Override
    public @Nullable ModuleSymbols symbols() {
        ElfSymbols symbols = module.symbols();
        return symbols == null ? null : new AtAddresses(symbols, module.bias());
    }

    @Override
    public @Nullable AddressRange functionAt(long address) {
        return module.functionAt(address);
    }

    @Override
    public String problem() {
        return module.problem();
    }

    /** The symbols of a file, with a bias added to their addresses. */
    private record AtAddresses(ElfSymbols symbols, long bias) implements ModuleSymbols {
        @Override
        public long address(String name) {
            OptionalLong address = symbols.addressOf(name);
            return address.isPresent() ? address.getAsLong() + bias : 0;
        }

        @Override
        public List<Named> objectsWithPrefix(String prefix) {
            return symbols.objectsWithPrefix(prefix).stream()
                    .map(symbol -> new Named(symbol.address() + bias, symbol.name()))
                    .toList();
        }
    }
}
