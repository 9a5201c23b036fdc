package mayfly.cli.option;

import mayfly.profile.RuntimeId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a runtime id such as {@code r2}, or a version. */
public final class RuntimeChoiceConverter implements ITypeConverter<RuntimeId.Choice> {
    @Override
    public RuntimeId.Choice convert(String text) {
        try {
            return new RuntimeId.Choice(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
