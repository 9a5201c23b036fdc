package mayfly.cli.option;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a file name. The permitted characters depend on the locale. */
public final class PathConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException("the file name is empty");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException(
                    "'" + text + "' cannot be a file name in this locale; LC_ALL=C.UTF-8 permits all names");
        }
    }
}
