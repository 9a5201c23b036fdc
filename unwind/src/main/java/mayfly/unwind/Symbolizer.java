package mayfly.unwind;

import java.util.HashMap;
import java.util.Map;
import mayfly.binary.demangle.Demangler;
import mayfly.binary.elf.ElfSymbols;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Adds symbols to native frames. A symbol table is read for the first frame of its file. Walks do not read symbol
 * tables.
 */
public final class Symbolizer {
    private final NativeCode code;
    private final Map<NativeModule, Map<Integer, String>> names = new HashMap<>();
    private final Map<String, NativeModule> byLibrary = new HashMap<>();
    private int modulesSeen = -1;

    public Symbolizer(NativeCode code) {
        this.code = code;
    }

    /**
     * Returns the frame with its symbol, demangled and without parameters, or the frame itself if no symbol is known.
     */
    public Frame.Native named(Frame.Native frame) {
        String symbol = frame.symbol().isEmpty() ? symbol(frame) : "";
        return symbol.isEmpty() ? frame : new Frame.Native(frame.library(), frame.address(), symbol, frame.vm());
    }

    /**
     * Returns the demangled name of the function that contains a frame, without parameters, or an empty string if none
     * is known.
     */
    public String symbol(Frame.Native frame) {
        NativeModule module = module(frame.library());
        ElfSymbols symbols = module == null ? null : module.symbols();
        int index = symbols == null ? -1 : symbols.indexAt(frame.address());
        if (module == null || symbols == null || index < 0) {
            return "";
        }
        return names.computeIfAbsent(module, m -> new HashMap<>())
                .computeIfAbsent(
                        index, i -> Demangler.demangleName(symbols.function(i).name()));
    }

    private @Nullable NativeModule module(String library) {
        if (modulesSeen != code.readings()) {
            modulesSeen = code.readings();
            for (NativeModule module : code.modules()) {
                byLibrary.putIfAbsent(module.library(), module);
            }
        }
        return byLibrary.get(library);
    }
}
