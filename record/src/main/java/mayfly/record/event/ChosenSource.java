package mayfly.record.event;

import java.util.ArrayList;
import java.util.List;
import mayfly.discovery.Refusals;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The first source of an event that can be opened.
 *
 * @param event the event
 * @param source the open source
 * @param notes sentences about the sources that could not be opened before it, and about its limits
 */
public record ChosenSource(RecordingEvent event, EventSource source, List<String> notes) {

    /**
     * Opens the first possible source of an event that stops no thread of the target: before the target is known to be
     * one that can be recorded, nothing of it may be stopped.
     *
     * @return null if there is no such source, or none can be opened
     */
    public static @Nullable ChosenSource openWithoutStops(
            RecordingEvent event, Collector collector, SourceRequest request) {
        List<SourceKind> kinds = event.kinds(collector).stream()
                .takeWhile(kind -> !kind.cost().stops())
                .toList();
        try {
            return kinds.isEmpty() ? null : open(event, kinds, request);
        } catch (Refused e) {
            return null; // open() repeats the attempt, and gives the reason
        }
    }

    /**
     * Opens the first possible source of an event.
     *
     * @param collector the only one to try; {@link Collector#AUTO} tries all, in the order of the event
     * @throws Refused if none can be opened
     */
    public static ChosenSource open(RecordingEvent event, Collector collector, SourceRequest request) throws Refused {
        return open(event, event.kinds(collector), request);
    }

    private static ChosenSource open(RecordingEvent event, List<SourceKind> kinds, SourceRequest request)
            throws Refused {
        List<String> notes = new ArrayList<>();
        List<Refused> refusals = new ArrayList<>();
        for (SourceKind kind : kinds) {
            try {
                EventSource source = kind.open(request);
                notes.addAll(kind.limits());
                return new ChosenSource(event, source, notes);
            } catch (Refused e) {
                // No other source would help.
                if (e.reason() == Reason.RATE_TOO_HIGH || e.reason() == Reason.TARGET_GONE) {
                    throw e;
                }
                refusals.add(e);
                notes.add(kind.collector().id() + " sampling is not possible here: " + Refusals.text(e));
            }
        }
        throw Refusals.noCollector(request.target().process().pid(), notes, refusals);
    }
}
