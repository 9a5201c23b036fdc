package mayfly.cli.option;

import mayfly.profile.RuntimeId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts {@code r1}, {@code r2} and so on. */
final class RuntimeIdConverter implements ITypeConverter<RuntimeId> {
    @Override
    public RuntimeId convert(String text) {
        if (!text.matches("r[1-9][0-9]{0,3}")) {
            throw new TypeConversionException("'" + text + "' is not a runtime id; write r1, r2, ...");
        }
        return new RuntimeId(Integer.parseInt(text.substring(1)));
    }
}
