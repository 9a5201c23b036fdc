package mayfly.record;

import java.util.ArrayList;
import java.util.List;
import mayfly.discovery.InspectedProcess;
import mayfly.linux.proc.KernelSymbols;
import mayfly.profile.Frame;
import mayfly.profile.StackTable;
import mayfly.profile.capture.CaptureWriteException;
import mayfly.profile.capture.CaptureWriter;
import mayfly.unwind.Symbolizer;

/** Names the native frames of a recording, and unnamed kernel frames, once each after the sampling. */
final class SymbolsAtClose {
    private SymbolsAtClose() {
    }

    static void write(InspectedProcess target, StackTable stacks, KernelFrames kernel, CaptureWriter writer)
            throws CaptureWriteException {
        List<Symbolizer> symbolizers = new ArrayList<>();
        symbolizers.add(new Symbolizer(target.code()));
        target.formerCode().forEach(code -> symbolizers.add(new Symbolizer(code)));
        KernelFrames.LaterNames later = kernel.new LaterNames(KernelSymbols::read);
        for (int id = 0; id < stacks.frameCount(); id++) {
            Frame frame = stacks.frameAt(id);
            String symbol = "";
            if (frame instanceof Frame.Native nativeFrame) {
                symbol = symbolizers.stream().map(code -> code.symbol(nativeFrame)).filter(name -> !name.isEmpty())
                        .findFirst().orElse("");
            } else if (frame instanceof Frame.Kernel kernelFrame) {
                symbol = later.of(kernelFrame);
            }
            if (!symbol.isEmpty()) {
                writer.symbol(id, symbol);
            }
        }
    }
}
