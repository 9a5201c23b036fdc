package mayfly.cli.command;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import mayfly.cli.help.DescribedCommand;
import mayfly.cli.option.Flag;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands, in the order of the help. Only the class of the command in use is loaded. */
public enum Command implements DescribedCommand {
    DEMO("profile a built-in demo program, write a flame graph and print the hottest paths", DemoCommand::new),
    PS("list the Java runtimes on this machine", PsCommand::new),
    RECORD("sample a running JVM from outside, and write where its CPU time goes", RecordCommand::new),
    RUN("start a program and record it from its first instruction, or start it with a profiler", RunCommand::new),
    STACK(
            "print the stack of every thread, now: its frames, the locks it waits for and owns, and deadlocks",
            StackCommand::new),
    ATTACH("attach a profiler, a jar written against Mayfly's api, to a running JVM", AttachCommand::new),
    SEND("send a command to the profiler that is attached, and print its answer", SendCommand::new),
    STATUS("show the profiler attached to a JVM, and what blocks its detach", StatusCommand::new),
    DETACH("detach the profiler from a JVM, and wait until it is unloaded", DetachCommand::new),
    AUDIT("list everything that a profiler could leave in a JVM, and compare two such lists", AuditCommand::new),
    CONVERT("write a capture in another format", ConvertCommand::new),
    REPORT("print the hottest frames of a capture and their callers", ReportCommand::new),
    DOCTOR("test everything that recording needs, and report what is missing", DoctorCommand::new),
    COMPLETION("print a script that completes commands, options and processes in a shell", CompletionCommand::new);

    private final String summary;
    private final Supplier<Subcommand> implementation;

    Command(String summary, Supplier<Subcommand> implementation) {
        this.summary = summary;
        this.implementation = implementation;
    }

    static @Nullable public Command named(String word) {
        for (Command command : values()) {
            if (command.word().equals(word)) {
                return command;
            }
        }
        return null;
    }

    /** Returns the names of all commands, in the order of the help. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Command::word).toList();
    }

    @Override
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String summary() {
        return summary;
    }

    @Override
    public String synopsis(CommandSpec spec) {
        String positionals = String.join(
                " ",
                spec.positionalParameters().stream()
                        .map(p -> p.arity().min() == 0 ? "[" + p.paramLabel() + "]" : p.paramLabel())
                        .toList());
        return ("mayfly " + word() + " [options] " + (this == RUN ? "-- " : "") + positionals).strip();
    }

    /** Returns the command's parser, with a new {@link Subcommand} as user object. */
    @Override
    public CommandLine parser() {
        Subcommand subcommand = implementation.get();
        CommandSpec spec = CommandSpec.wrapWithoutInspection(subcommand);
        subcommand.definitions().forEach(definition -> definition.addTo(spec));
        Flag.help().addTo(spec);
        var parser = new CommandLine(spec);
        parser.setCommandName("mayfly " + word());
        // Options after a program's name belong to that program.
        parser.setStopAtPositional(this == RUN);
        spec.usageMessage().description(Character.toUpperCase(summary.charAt(0)) + summary.substring(1) + ".");
        return parser;
    }
}
