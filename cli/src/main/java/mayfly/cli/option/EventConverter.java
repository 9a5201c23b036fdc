package mayfly.cli.option;

import java.util.stream.Collectors;
import mayfly.record.event.RecordingEvent;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the name of a recorded event. */
final class EventConverter implements ITypeConverter<RecordingEvent> {
    @Override
    public RecordingEvent convert(String word) {
        for (RecordingEvent event : RecordingEvent.ALL) {
            if (event.id().equals(word)) {
                return event;
            }
        }
        String words = RecordingEvent.ALL.stream().map(RecordingEvent::id).collect(Collectors.joining(" or "));
        throw new TypeConversionException("'" + word + "' cannot be sampled; use " + words);
    }
}
