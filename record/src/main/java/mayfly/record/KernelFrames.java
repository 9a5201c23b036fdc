package mayfly.record;

import java.util.Arrays;
import java.util.function.Supplier;
import mayfly.linux.proc.KernelSymbols;
import mayfly.profile.Frame;
import mayfly.runtime.PcMap;

/**
 * Frames of the kernel by address. The addresses are kept in memory only: any of them reveals the kernel's random base
 * address, which protects the kernel and must stay secret. A frame has the name that its function had when the
 * recording began.
 */
final class KernelFrames {
    private static final int MAX_SITES = 1 << 16;

    private final KernelSymbols symbols;
    private final PcMap<Frame.Kernel> frames = new PcMap<>(MAX_SITES);
    /** The addresses by site number. */
    private long[] addresses = new long[64];
    private int count;

    KernelFrames(KernelSymbols symbols) {
        this.symbols = symbols;
    }

    Frame.Kernel frame(long address) {
        Frame.Kernel frame = frames.get(address);
        if (frame == null) {
            frame = new Frame.Kernel(site(address), name(symbols, address));
            frames.put(address, frame);
        }
        return frame;
    }

    /**
     * Returns the site of an address. The last site stands for all addresses beyond {@link #MAX_SITES}, which are
     * distinguished by their names only.
     */
    private int site(long address) {
        if (count == MAX_SITES) {
            return MAX_SITES - 1;
        }
        if (count == addresses.length) {
            addresses = Arrays.copyOf(addresses, count * 2);
        }
        addresses[count] = address;
        return count++;
    }

    private static String name(KernelSymbols symbols, long address) {
        String found = symbols.find(address);
        return found == null ? "" : found;
    }

    /** Names that became known after the frames were recorded, because a module was loaded during the recording. */
    final class LaterNames {
        private final Supplier<KernelSymbols> read;
        private KernelSymbols now = symbols;

        LaterNames(Supplier<KernelSymbols> read) {
            this.read = read;
        }

        /** Returns the frame's name; empty if the frame has one already or none is found. */
        String of(Frame.Kernel frame) {
            if (!frame.symbol().isEmpty() || symbols.isEmpty() || frame.site() == MAX_SITES - 1) {
                return "";
            }
            now = now == symbols ? read.get() : now;
            return name(now, addresses[frame.site()]);
        }
    }
}
