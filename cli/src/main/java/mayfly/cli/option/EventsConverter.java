package mayfly.cli.option;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.record.event.RecordingEvent;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the names of recorded events, separated by commas. */
final class EventsConverter implements ITypeConverter<List<RecordingEvent>> {
    @Override
    public List<RecordingEvent> convert(String words) {
        var events = new ArrayList<RecordingEvent>();
        for (String word : words.split(",", -1)) {
            RecordingEvent event = event(word.strip());
            if (events.contains(event)) {
                throw new TypeConversionException("the event " + event + " is named twice");
            }
            events.add(event);
        }
        return List.copyOf(events);
    }

    private static RecordingEvent event(String word) {
        for (RecordingEvent event : RecordingEvent.ALL) {
            if (event.id().equals(word)) {
                return event;
            }
        }
        String words = RecordingEvent.ALL.stream().map(RecordingEvent::id).collect(Collectors.joining(" or "));
        throw new TypeConversionException("'" + word + "' cannot be sampled; use " + words);
    }
}
