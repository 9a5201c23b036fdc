package mayfly.cli;

import mayfly.attach.client.RuntimeChoice;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code r2}, or a version. */
final class RuntimeChoiceConverter implements ITypeConverter<RuntimeChoice> {
    @Override
    public RuntimeChoice convert(String text) {
        try {
            return new RuntimeChoice(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
