package mayfly.record.event;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.discovery.Refused;
import mayfly.linux.sys.Owned;
import org.jspecify.annotations.Nullable;

/**
 * The open sources of a recording, one for each of its events, in their order. One thread reads them in turn. The
 * methods are those of {@link EventSource}, for all sources.
 */
public final class EventSources implements AutoCloseable {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final List<ChosenSource> chosen;
    /** The source with the shortest interval: the thread waits for it, and attends to the others in between. */
    private final EventSource awaited;

    private final List<EventSource> others;
    private boolean enabled;

    /** @throws java.util.NoSuchElementException if there is no source */
    public EventSources(List<ChosenSource> chosen) {
        this.chosen = List.copyOf(chosen);
        EventSource shortest = this.chosen.getFirst().source();
        for (ChosenSource each : this.chosen) {
            shortest = each.source().intervalMillis() < shortest.intervalMillis() ? each.source() : shortest;
        }
        this.awaited = shortest;
        this.others = this.chosen.size() == 1 ? List.of() : others(shortest);
    }

    private List<EventSource> others(EventSource except) {
        return sources().stream().filter(source -> source != except).toList();
    }

    /**
     * Opens the sources, but none that stops threads of the target: see {@link ChosenSource#openWithoutStops}.
     *
     * @return null if an event has no such source, or it cannot be opened
     */
    public static @Nullable EventSources openWithoutStops(
            List<RecordingEvent> events, Collector collector, SourceRequest request) {
        try (Owned owned = new Owned()) {
            var opened = new ArrayList<ChosenSource>();
            for (RecordingEvent event : events) {
                SourceRequest shared = request.of(events.size() - opened.size());
                ChosenSource source = ChosenSource.openWithoutStops(event, collector, shared);
                if (source == null) {
                    return null;
                }
                owned.add(source.source());
                opened.add(source);
            }
            return owned.release(new EventSources(opened));
        }
    }

    /**
     * Opens the sources.
     *
     * @throws Refused if the source of an event cannot be opened
     */
    public static EventSources open(List<RecordingEvent> events, Collector collector, SourceRequest request)
            throws Refused {
        try (Owned owned = new Owned()) {
            var opened = new ArrayList<ChosenSource>();
            for (RecordingEvent event : events) {
                SourceRequest shared = request.of(events.size() - opened.size());
                ChosenSource source = ChosenSource.open(event, collector, shared);
                owned.add(source.source());
                opened.add(source);
            }
            return owned.release(new EventSources(opened));
        }
    }

    public List<ChosenSource> chosen() {
        return chosen;
    }

    private List<EventSource> sources() {
        return chosen.stream().map(ChosenSource::source).toList();
    }

    /** @throws Refused if the runtimes of the target lack an event */
    public void requireSupport() throws Refused {
        for (ChosenSource each : chosen) {
            each.source().requireSupport();
        }
    }

    /** @throws IOException if a source cannot be started */
    public void enable() throws IOException {
        enabled = true;
        for (ChosenSource each : chosen) {
            each.source().enable();
        }
    }

    /** Waits until there may be samples of an event to drain. Returns false if the target has ended. */
    public boolean await(int timeoutMillis) {
        if (others.isEmpty()) {
            return awaited.await(timeoutMillis);
        }
        long deadline = System.nanoTime() + timeoutMillis * NANOS_PER_MILLI;
        long left = timeoutMillis;
        boolean goesOn;
        do {
            goesOn = awaited.await((int) Math.min(awaited.intervalMillis(), left)) & attend(awaited);
            // Rounded up: a wait of no time would be repeated until the deadline.
            left = (deadline - System.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
        } while (goesOn && !isDue() && left > 0);
        return goesOn;
    }

    /** Returns true if a source needs attention even if nothing is to be drained. */
    public boolean needAttention() {
        return awaited.intervalMillis() < Integer.MAX_VALUE;
    }

    /** Waits for the whole time, even if samples become due. Returns early if the target has ended. */
    public void attendFor(int millis) {
        long deadline = System.nanoTime() + millis * NANOS_PER_MILLI;
        long left = millis;
        while (left > 0 && await((int) left)) {
            left = others.isEmpty() ? 0 : (deadline - System.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
        }
    }

    /** Lets all sources but one do what is due. Returns false if the target has ended. */
    private boolean attend(EventSource except) {
        boolean goesOn = true;
        for (ChosenSource each : chosen) {
            goesOn &= each.source() == except || each.source().await(0);
        }
        return goesOn;
    }

    private boolean isDue() {
        return awaited.isDue() || others.stream().anyMatch(EventSource::isDue);
    }

    /** Marks the present samples of all events as the end of the next drain. */
    public void begin() {
        for (ChosenSource each : chosen) {
            each.source().begin();
        }
    }

    /**
     * Drains the sources. In between, the others do what is due: a drain can take a while.
     *
     * @param sinks one for each event, in their order
     * @throws IOException if the capture cannot be written
     */
    public void drain(List<? extends SampleSink> sinks) throws IOException {
        for (int i = 0; i < chosen.size(); i++) {
            EventSource source = chosen.get(i).source();
            source.drain(sinks.get(i));
            if (enabled && i < chosen.size() - 1) {
                attend(source);
            }
        }
    }

    /** Returns the time for which the samples of every event can wait for a drain, ns; 0 if it is not known. */
    public long holdsNanos() {
        return sources().stream().mapToLong(EventSource::holdsNanos).min().orElse(0);
    }

    /** Returns true if the samples of every event may wait for a while. */
    public boolean hasRoom() {
        return sources().stream().allMatch(EventSource::hasRoom);
    }

    public void disable() {
        enabled = false; // what the sources would look at now is later than the recording
        sources().forEach(EventSource::disable);
    }

    public long lost() {
        return sources().stream().mapToLong(EventSource::lost).sum();
    }

    public boolean isReplaced() {
        return sources().stream().anyMatch(EventSource::isReplaced);
    }

    public void discard() {
        sources().forEach(EventSource::discard);
    }

    /** Returns the description of each source, with its event if there are several. */
    public String description() {
        return others.isEmpty()
                ? awaited.description()
                : chosen.stream()
                        .map(each -> each.event() + ": " + each.source().description())
                        .collect(Collectors.joining("; "));
    }

    /** Returns true if the samples of CPU time represent time in the kernel too. */
    public boolean seesKernel() {
        return chosen.stream()
                .filter(each -> each.event().sum() == RecordingEvent.Sum.CPU_TIME)
                .anyMatch(each -> each.source().seesKernel());
    }

    public boolean hasKernelFrames() {
        return sources().stream().anyMatch(EventSource::hasKernelFrames);
    }

    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            sources().forEach(owned::add);
        }
    }
}
