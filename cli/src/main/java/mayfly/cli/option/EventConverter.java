package mayfly.cli.option;

import mayfly.record.RecordingEvent;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the name of a recorded event. */
final class EventConverter implements ITypeConverter<RecordingEvent> {
    @Override
    public RecordingEvent convert(String word) {
        for (RecordingEvent event : RecordingEvent.values()) {
            if (event.id().equals(word)) {
                return event;
            }
        }
        throw new TypeConversionException("'" + word + "' cannot be sampled; use cpu or wall");
    }
}
