package mayfly.sampler;

import mayfly.linux.KernelSymbols;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.CaptureWriter;
import mayfly.profile.Frame;
import mayfly.profile.StackTable;
import mayfly.unwind.Symbolizer;

/** Names the native frames of a recording, and kernel frames without a name, once each when the sampling is over. */
final class SymbolsAtClose {
    private SymbolsAtClose() {
    }

    static void write(Target target, StackTable stacks, KernelFrames kernel, CaptureWriter writer)
            throws CaptureWriteException {
        Symbolizer symbolizer = new Symbolizer(target.code());
        KernelFrames.LaterNames later = kernel.new LaterNames(KernelSymbols::read);
        for (int id = 0; id < stacks.frameCount(); id++) {
            Frame frame = stacks.frameAt(id);
            String symbol = "";
            if (frame instanceof Frame.Native nativeFrame) {
                symbol = symbolizer.symbol(nativeFrame);
            } else if (frame instanceof Frame.Kernel kernelFrame) {
                symbol = later.of(kernelFrame);
            }
            if (!symbol.isEmpty()) {
                writer.symbol(id, symbol);
            }
        }
    }
}
