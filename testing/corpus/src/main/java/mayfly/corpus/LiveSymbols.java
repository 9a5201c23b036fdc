package mayfly.corpus;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import mayfly.binary.elf.ElfSymbols;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.runtime.ModuleSymbols;

/** The symbols of a mapped library of a runtime. All requested symbols are stored in each snapshot. */
final class LiveSymbols implements ModuleSymbols {
    private final ElfSymbols symbols;
    private final long bias;
    private final Map<String, Long> asked = new HashMap<>();
    private final Map<String, List<Named>> prefixes = new HashMap<>();

    LiveSymbols(ElfSymbols symbols, long bias) {
        this.symbols = symbols;
        this.bias = bias;
    }

    @Override
    public long address(String name) {
        return asked.computeIfAbsent(name, wanted -> {
            OptionalLong address = symbols.addressOf(wanted);
            return address.isPresent() ? address.getAsLong() + bias : 0;
        });
    }

    @Override
    public List<Named> objectsWithPrefix(String prefix) {
        return prefixes.computeIfAbsent(
                prefix,
                wanted -> symbols.objectsWithPrefix(wanted).stream()
                        .map(symbol -> new Named(symbol.address() + bias, symbol.name()))
                        .toList());
    }

    void keepIn(ProcessSnapshot snapshot) {
        prefixes.values().forEach(list -> list.forEach(named -> snapshot.symbol(named.name(), named.address())));
        asked.forEach(snapshot::symbol);
    }
}
