package mayfly.cli.option;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A value of the command line, known by the name of an option or by its position.
 *
 * @param <T> the type of the value
 */
public abstract sealed class Value<T> implements Definition permits Argument, Option {
    private final ArgSpec spec;

    Value(ArgSpec spec) {
        this.spec = spec;
    }

    @Override
    public void addTo(CommandSpec command) {
        command.add(spec);
    }

    /**
     * Returns a value that is required or has a default.
     *
     * @throws NullPointerException if there is no value
     */
    public T value() {
        return Objects.requireNonNull(spec.getValue());
    }

    /** Returns the value, or another one if the command line does not have it. */
    public T or(T other) {
        T value = orNull();
        return value == null ? other : value;
    }

    /** Returns the value; null if the command line does not have it, and it has no default. */
    public @Nullable T orNull() {
        return spec.getValue();
    }
}
