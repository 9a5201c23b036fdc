package mayfly.cli.option;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** An option without a value. */
public final class Flag implements Definition {
    private final OptionSpec spec;

    /** Creates an option with one name, such as {@code --json}. */
    public Flag(String name, String description) {
        this(OptionSpec.builder(name), description);
    }

    /** Creates an option with two names, such as {@code -q} and {@code --quiet}. */
    public Flag(String shortName, String name, String description) {
        this(OptionSpec.builder(shortName, name), description);
    }

    private Flag(OptionSpec.Builder builder, String description) {
        spec = builder.type(boolean.class).description(description).build();
    }

    /** Returns the option that shows the help instead of running the command. */
    public static Flag help() {
        return new Flag(OptionSpec.builder("-h", "--help").usageHelp(true), "Show this help.");
    }

    @Override
    public void addTo(CommandSpec command) {
        command.addOption(spec);
    }

    /** Returns true if the command line has the option. */
    public boolean isSet() {
        return Boolean.TRUE.equals(spec.getValue());
    }
}
