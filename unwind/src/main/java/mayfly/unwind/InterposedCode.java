package mayfly.unwind;

import java.util.ArrayList;
import java.util.List;
import mayfly.runtime.AddressRange;
import mayfly.runtime.ManagedRuntime;
import org.jspecify.annotations.Nullable;

/**
 * The native functions at which runtimes insert managed frames, by address. Queried for each native frame. Most targets
 * have no such function, and the others have few.
 */
final class InterposedCode {
    private static final int MAX_RANGES = 64;

    private final ManagedRuntime[] runtimes;
    private long[] starts = {};
    private long[] ends = {};
    private ManagedRuntime[] owners = {};

    /** Queries the runtimes. */
    InterposedCode(ManagedRuntime[] runtimes) {
        this.runtimes = runtimes;
        refresh();
    }

    /** Queries the runtimes again, because a function may have been loaded since. Ignores ranges beyond a limit. */
    void refresh() {
        List<AddressRange> ranges = new ArrayList<>();
        List<ManagedRuntime> found = new ArrayList<>();
        for (ManagedRuntime runtime : runtimes) {
            for (AddressRange range : runtime.interposedCode()) {
                if (ranges.size() < MAX_RANGES) {
                    ranges.add(range);
                    found.add(runtime);
                }
            }
        }
        starts = ranges.stream().mapToLong(AddressRange::start).toArray();
        ends = ranges.stream().mapToLong(AddressRange::end).toArray();
        owners = found.toArray(ManagedRuntime[]::new);
    }

    /** Returns the runtime that inserts frames at the function that contains an address, or null if there is none. */
    @Nullable
    ManagedRuntime ownerAt(long pc) {
        for (int i = 0; i < starts.length; i++) {
            if (pc >= starts[i] && pc < ends[i]) {
                return owners[i];
            }
        }
        return null;
    }
}
