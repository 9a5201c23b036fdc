package mayfly.unwind;

import java.util.HashMap;
import java.util.Map;
import mayfly.binary.demangle.Demangler;
import mayfly.binary.elf.ElfSymbols;
import mayfly.profile.Frame;
import org.jspecify.annotations.Nullable;

/** Names native frames, when a recording is closed: symbol tables are not read before. */
public final class Symbolizer {
    private final NativeCode code;
    private final Map<NativeModule, Map<Integer, String>> names = new HashMap<>();
    private final Map<String, NativeModule> byLibrary = new HashMap<>();
    private int modulesSeen = -1;

    public Symbolizer(NativeCode code) {
        this.code = code;
    }

    /** The same frame with its symbol, demangled and without parameters; the frame itself if none is known. */
    public Frame.Native named(Frame.Native frame) {
        String symbol = frame.symbol().isEmpty() ? symbol(frame) : "";
        return symbol.isEmpty() ? frame : new Frame.Native(frame.library(), frame.address(), symbol, frame.vm());
    }

    /** The demangled name of the function that a frame is in, without parameters; empty if none is known. */
    public String symbol(Frame.Native frame) {
        NativeModule module = module(frame.library());
        ElfSymbols symbols = module == null ? null : module.symbols();
        int index = symbols == null ? -1 : symbols.indexAt(frame.address());
        if (module == null || symbols == null || index < 0) {
            return "";
        }
        return names.computeIfAbsent(module, m -> new HashMap<>())
                .computeIfAbsent(index, i -> Demangler.demangleName(symbols.function(i).name()));
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
