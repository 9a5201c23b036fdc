package mayfly.cli.option;

import mayfly.record.event.Collector;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts the name of a collector. */
public final class CollectorConverter implements ITypeConverter<Collector> {
    @Override
    public Collector convert(String word) {
        for (Collector collector : Collector.values()) {
            if (collector.id().equals(word)) {
                return collector;
            }
        }
        throw new TypeConversionException(
                "'" + word + "' is not a collector; use auto, system-wide, per-thread or ptrace");
    }
}
