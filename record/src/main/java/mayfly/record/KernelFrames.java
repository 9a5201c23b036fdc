package mayfly.record;

import java.util.Arrays;
import java.util.function.Supplier;
import mayfly.linux.proc.KernelSymbols;
import mayfly.profile.Frame;
import mayfly.profile.column.PcMap;
import org.jspecify.annotations.Nullable;

/**
 * Frames of the kernel by address. The addresses are kept in memory only: any of them reveals the kernel's random base
 * address, which protects the kernel and must stay secret. A frame has the name that its function had when the
 * symbols were read: before a program that Mayfly starts, otherwise at the first kernel frame.
 */
final class KernelFrames {
    private static final int MAX_SITES = 1 << 16;

    private final Supplier<KernelSymbols> read;
    /** Null until the first frame: the symbols take some 100 ms, which would delay the first sample. */
    private @Nullable KernelSymbols symbols;

    private final PcMap<Frame.Kernel> frames = new PcMap<>(MAX_SITES);
    /** The addresses by site number. */
    private long[] addresses = new long[64];

    private int count;

    KernelFrames(Supplier<KernelSymbols> read) {
        this.read = read;
    }

    private KernelSymbols symbols() {
        if (symbols == null) {
            symbols = read.get();
        }
        return symbols;
    }

    Frame.Kernel frame(long address) {
        Frame.Kernel frame = frames.get(address);
        if (frame == null) {
            frame = new Frame.Kernel(site(address), name(symbols(), address));
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
        private @Nullable KernelSymbols now;

        LaterNames(Supplier<KernelSymbols> read) {
            this.read = read;
        }

        /** Returns the frame's name; empty if the frame has one already or none is found. */
        String of(Frame.Kernel frame) {
            if (!frame.symbol().isEmpty() || symbols().isEmpty() || frame.site() == MAX_SITES - 1) {
                return "";
            }
            if (now == null) {
                now = read.get();
            }
            return name(now, addresses[frame.site()]);
        }
    }
}
