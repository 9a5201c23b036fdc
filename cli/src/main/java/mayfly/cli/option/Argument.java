package mayfly.cli.option;

import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * An argument that is known by its position.
 *
 * @param <T> the type of the value
 */
public final class Argument<T> extends Value<T> {
    private Argument(PositionalParamSpec.Builder builder, String label, String description) {
        super(builder.paramLabel(label).description(description).build());
    }

    /**
     * Returns a required argument.
     *
     * @param index the position, from 0
     * @param label the name of the value in the help
     */
    public static Argument<String> text(int index, String label, String description) {
        return new Argument<>(at(index).type(String.class).required(true), label, description);
    }

    /** Returns an argument that may be absent. */
    public static Argument<String> optional(int index, String label, String description) {
        return new Argument<>(at(index).type(String.class).arity("0..1"), label, description);
    }

    /** Returns a required argument that is converted. */
    public static <T> Argument<T> value(int index, String label, ITypeConverter<T> converter, String description) {
        return new Argument<>(at(index).type(Object.class).converters(converter).required(true), label, description);
    }

    /** Returns all arguments of the command; there may be none. */
    public static Argument<List<String>> all(String label, String description) {
        return new Argument<>(
                PositionalParamSpec.builder()
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .arity("0..*"),
                label,
                description);
    }

    private static PositionalParamSpec.Builder at(int index) {
        return PositionalParamSpec.builder().index(Integer.toString(index)).arity("1");
    }
}
