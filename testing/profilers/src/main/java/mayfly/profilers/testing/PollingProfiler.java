package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.ThreadAllocation;
import mayfly.api.thread.Blocker;

/**
 * Sums up polled events, and checks what each sample must fulfil. Its data are the interval in ms, or 0 for the initial
 * one, and events. The commands are in {@link #command}; all calls are on the host's thread.
 */
public final class PollingProfiler implements Profiler {
    private final Map<String, Long> contention = new HashMap<>();
    private final Map<ThreadId, Long> allocated = new HashMap<>();
    private final Map<ThreadId, Long> totals = new HashMap<>();
    private final Set<String> owners = new HashSet<>();
    private final Thread own = Thread.currentThread();
    private long lastNanos;
    private long looks;
    private long errors;
    private long longest;
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        String[] words = new String(data.orElseThrow(), StandardCharsets.UTF_8).split(" ");
        if (!words[0].equals("0")) {
            info.setPollingInterval(Duration.ofMillis(Long.parseLong(words[0])));
        }
        subscribe(words, 1);
    }

    private void subscribe(String[] words, int from) {
        Set<Event> events = new HashSet<>();
        for (int i = from; i < words.length; i++) {
            events.add(Event.valueOf(words[i]));
        }
        info.setEventMask(Set.of(), events);
    }

    private void check(boolean condition) {
        errors += condition ? 0 : 1;
    }

    private void look(Stamp at) {
        check(Thread.currentThread() == own && at.nanos() <= System.nanoTime() && at.nanos() >= lastNanos);
        looks += at.nanos() == lastNanos ? 0 : 1;
        lastNanos = at.nanos();
    }

    @Override
    public void contentionObserved(Stamp at, ContentionSample sample) {
        look(at);
        check(sample.nanos() > 0
                && (sample.owner().isEmpty() || sample.monitor().isPresent()));
        longest = Math.max(longest, sample.nanos());
        Blocker monitor = sample.monitor().orElse(null);
        contention.merge(
                monitor == null ? "-" : monitor.className() + " " + monitor.identity(), sample.nanos(), Long::sum);
        owners.add(sample.thread().value() + " "
                + sample.owner().map(owner -> Long.toString(owner.value())).orElse("-"));
    }

    @Override
    public void allocationObserved(Stamp at, ThreadAllocation allocation) {
        look(at);
        check(allocation.bytes() > 0);
        long sum = allocated.merge(allocation.thread(), allocation.bytes(), Long::sum);
        totals.putIfAbsent(allocation.thread(), allocation.total() - allocation.bytes());
        check(sum >= allocation.total() - totals.get(allocation.thread()));
    }

    private String name(ThreadId thread) {
        try {
            return info.describe(thread).name();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    /** Returns the bytes of the threads whose names begin so. */
    private long allocatedBy(String begin) {
        long sum = 0;
        for (Map.Entry<ThreadId, Long> each : allocated.entrySet()) {
            sum += name(each.getKey()).startsWith(begin) ? each.getValue() : 0;
        }
        return sum;
    }

    private static String lines(Map<String, Long> totals) {
        StringBuilder lines = new StringBuilder();
        totals.forEach(
                (key, value) -> lines.append(key).append(' ').append(value).append('\n'));
        return lines.toString();
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ");
        String answer = switch (words[0]) {
            case "contention" -> lines(contention);
            case "owners" -> String.join("\n", owners);
            case "allocated" -> Long.toString(allocatedBy(words.length < 2 ? "" : words[1]));
            case "looks" -> Long.toString(looks);
            case "longest" -> Long.toString(longest);
            case "errors" -> Long.toString(errors);
            case "asynchronous" -> info.asynchronousEvents().toString();
            case "reset" -> {
                contention.clear();
                allocated.clear();
                totals.clear();
                owners.clear();
                longest = 0;
                yield "OK";
            }
            case "interval" -> outcome(() -> info.setPollingInterval(Duration.ofNanos(Long.parseLong(words[1]))));
            case "poll" -> outcome(() -> subscribe(words, 1));
            case "default" -> outcome(() -> info.setEventMask(Set.of(Event.valueOf(words[1]))));
            default -> throw new IllegalArgumentException(words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
