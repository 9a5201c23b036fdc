package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.AllocationSample;

/**
 * Sums up sampled allocations by the first method of a test's target on the stack, and by class. Its data are the
 * sampling interval in bytes, and {@code totals} if it must not walk stacks, which allocates. The commands are in
 * {@link #command}.
 */
public final class AllocationsProfiler implements Profiler {
    private static final Set<Event> SAMPLING = EnumSet.of(Event.ALLOCATIONS, Event.STACK_SNAPSHOTS);

    private final Map<String, Total> bySite = new ConcurrentHashMap<>();
    private final Map<ClassId, Total> byClass = new ConcurrentHashMap<>();
    /** The threads that run the callback. */
    private final Set<ThreadId> running = ConcurrentHashMap.newKeySet();

    private final LongAdder nested = new LongAdder();
    private volatile boolean walks;
    private ProfilerInfo info;

    private static final class Total {
        private final LongAdder samples = new LongAdder();
        private final LongAdder sizes = new LongAdder();
        private final LongAdder estimate = new LongAdder();

        void add(AllocationSample sample) {
            samples.increment();
            sizes.add(sample.size());
            estimate.add(sample.estimatedBytes());
        }

        @Override
        public String toString() {
            return samples + " " + sizes + " " + estimate;
        }
    }

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        String[] words = new String(data.orElseThrow(), StandardCharsets.UTF_8).split(" ");
        walks = words.length == 1;
        info.setAllocationSamplingInterval(Long.parseLong(words[0]));
        info.setEventMask(SAMPLING);
    }

    @Override
    public void allocationSampled(Stamp at, AllocationSample sample) {
        if (!running.add(sample.thread())) {
            nested.increment();
            return;
        }
        String[] site = {""};
        if (walks) {
            info.doStackSnapshot(AllocationsProfiler::isBefore, site);
        }
        bySite.computeIfAbsent(site[0], each -> new Total()).add(sample);
        if (!site[0].isEmpty()) {
            byClass.computeIfAbsent(sample.type(), each -> new Total()).add(sample);
        }
        running.remove(sample.thread());
    }

    /** Keeps the first frame of the target. The walk always ends at the root: an abort would be an exception. */
    private static boolean isBefore(StackFrame frame, String[] site) {
        if (site[0].isEmpty() && frame.className().startsWith("mayfly.targets.")) {
            site[0] = frame.className() + '.' + frame.method();
        }
        return true;
    }

    private String classes() {
        Map<String, Total> named = new TreeMap<>();
        byClass.forEach((type, total) -> named.put(info.describe(type).name(), total));
        return lines(named);
    }

    private static String lines(Map<String, Total> totals) {
        StringBuilder lines = new StringBuilder();
        totals.forEach((name, total) -> lines.append(name.isEmpty() ? "-" : name)
                .append(' ')
                .append(total)
                .append('\n'));
        return lines.toString();
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ");
        String answer = switch (words[0]) {
            case "sites" -> lines(bySite);
            case "classes" -> classes();
            case "reset" -> {
                bySite.clear();
                byClass.clear();
                yield "OK";
            }
            case "nested" -> Long.toString(nested.sum());
            case "interval" -> outcome(() -> info.setAllocationSamplingInterval(Long.parseLong(words[1])));
            case "on" -> outcome(() -> info.setEventMask(SAMPLING));
            case "off" -> outcome(() -> info.setEventMask(EnumSet.of(Event.STACK_SNAPSHOTS)));
            default -> throw new IllegalArgumentException(words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
