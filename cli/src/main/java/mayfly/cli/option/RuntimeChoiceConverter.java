package mayfly.cli.option;

import mayfly.attach.client.RuntimeChoice;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a runtime id such as {@code r2}, or a version. */
public final class RuntimeChoiceConverter implements ITypeConverter<RuntimeChoice> {
    @Override
    public RuntimeChoice convert(String text) {
        try {
            return new RuntimeChoice(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
