package mayfly.cli.option;

import java.util.Iterator;
import mayfly.record.event.RecordingEvent;

/** The recorded events as the help lists them: each with its description. */
final class EventWords implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return RecordingEvent.ALL.stream()
                .map(event -> event.id() + " (" + event.quantity() + " " + event.scope() + ")")
                .iterator();
    }
}
