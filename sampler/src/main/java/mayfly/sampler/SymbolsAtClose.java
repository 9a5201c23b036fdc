package mayfly.sampler;

import mayfly.linux.KernelSymbols;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.CaptureWriter;
import mayfly.profile.Frame;
import mayfly.profile.StackTable;
import mayfly.unwind.Symbolizer;

/** Names the native and kernel frames of a recording, once each, when the sampling is over. */
final class SymbolsAtClose {
    private SymbolsAtClose() {
    }

    static void write(Target target, StackTable stacks, CaptureWriter writer) throws CaptureWriteException {
        Symbolizer symbolizer = new Symbolizer(target.code());
        KernelSymbols kernel = null;
        for (int id = 0; id < stacks.frameCount(); id++) {
            Frame frame = stacks.frameAt(id);
            String symbol = "";
            if (frame instanceof Frame.Native nativeFrame) {
                symbol = symbolizer.symbol(nativeFrame);
            } else if (frame instanceof Frame.Kernel kernelFrame) {
                kernel = kernel == null ? KernelSymbols.read() : kernel;
                String found = kernel.find(kernelFrame.address());
                symbol = found == null ? "" : found;
            }
            if (!symbol.isEmpty()) {
                writer.symbol(id, symbol);
            }
        }
    }
}
