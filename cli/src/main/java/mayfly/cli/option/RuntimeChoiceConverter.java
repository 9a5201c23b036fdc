package mayfly.cli.option;

import mayfly.profile.RuntimeId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a runtime id such as {@code r2}, or a version. */
public final class RuntimeChoiceConverter implements ITypeConverter<RuntimeId.Choice> {
    /** The name of a value that can be several runtimes. */
    public static final String SEVERAL = "ID|VERSION,...|all";

    private static final String PROFILER =
            "The JVM of the profiler, if profilers are attached to several JVMs of the process: r1, r2, ... as in"
                    + " mayfly ps, or its version or the beginning of it";

    /** Returns the option of a command for the JVM whose profiler it addresses. */
    public static Option<RuntimeId.Choice> ofProfiler() {
        return Option.named("--runtime")
                .value("ID|VERSION", new RuntimeChoiceConverter())
                .description(PROFILER + ".");
    }

    /** Returns the option of a command that can address all profilers of a process. */
    public static Option<RuntimeId.Choice> ofProfilers() {
        return Option.named("--runtime")
                .value(SEVERAL, new RuntimeChoiceConverter(true))
                .description(PROFILER + "; several, separated by commas; all: each of them.");
    }

    private final boolean takesSeveral;

    /** Creates a converter that refuses {@code all} and lists. */
    public RuntimeChoiceConverter() {
        this(false);
    }

    /** @param takesSeveral true if {@code all} is a choice, and a list separated by commas */
    public RuntimeChoiceConverter(boolean takesSeveral) {
        this.takesSeveral = takesSeveral;
    }

    @Override
    public RuntimeId.Choice convert(String text) {
        try {
            RuntimeId.Choice choice = new RuntimeId.Choice(text);
            if ((choice.isAll() || choice.isList()) && !takesSeveral) {
                throw new TypeConversionException(
                        "'" + text + "' is not one runtime: write an id (r1, r2, ...) or a version");
            }
            return choice;
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
