package mayfly.discovery;

import java.util.List;
import java.util.OptionalLong;
import mayfly.binary.elf.ElfSymbols;
import mayfly.hotspot.tables.VmSymbols;
import mayfly.unwind.NativeModule;

/** A mapped libjvm's symbols as its runtime wants them: at their addresses in the target. */
final class ModuleSymbols implements VmSymbols {
    private final ElfSymbols symbols;
    private final long bias;

    ModuleSymbols(ElfSymbols symbols, NativeModule module) {
        this.symbols = symbols;
        this.bias = module.bias();
    }

    @Override
    public long address(String name) {
        OptionalLong address = symbols.addressOf(name);
        return address.isPresent() ? address.getAsLong() + bias : 0;
    }

    @Override
    public List<Named> objectsWithPrefix(String prefix) {
        return symbols.objectsWithPrefix(prefix).stream()
                .map(symbol -> new Named(symbol.address() + bias, symbol.name())).toList();
    }
}
