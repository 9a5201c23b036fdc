package mayfly.cli.command;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import mayfly.cli.help.DescribedCommand;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine;

/** The commands, in the order of the help. Only the class of the command in use is loaded. */
public enum Command implements DescribedCommand {
    DEMO("profile a small program of ours: writes a flame graph, prints the hottest paths", DemoCommand::new),
    PS("list the Java runtimes on this machine", PsCommand::new),
    RECORD("sample a running JVM from outside, and write where its CPU time goes", RecordCommand::new),
    RUN("start a program and record it from its first instruction, or with a profiler in it", RunCommand::new),
    STACK("print the stack of every thread, now: native, VM and Java frames", StackCommand::new),
    ATTACH("attach a profiler to a running JVM: a jar written against Mayfly's api", AttachCommand::new),
    SEND("send a command to the profiler that is attached, and print its answer", SendCommand::new),
    STATUS("say what is attached to a JVM, and what keeps it", StatusCommand::new),
    DETACH("take the profiler out of a JVM again, and wait until it is gone", DetachCommand::new),
    AUDIT("list everything in a JVM that a profiler could have left, and compare it with before", AuditCommand::new),
    CONVERT("write a capture in another format", ConvertCommand::new),
    REPORT("print what is hot in a capture, and who calls it", ReportCommand::new),
    DOCTOR("try everything that recording needs, and say what is missing", DoctorCommand::new),
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
        String positionals = String.join(" ", spec.positionalParameters().stream()
                .map(p -> p.arity().min() == 0 ? "[" + p.paramLabel() + "]" : p.paramLabel()).toList());
        return ("mayfly " + word() + " [options] " + (this == RUN ? "-- " : "") + positionals).strip();
    }

    /** Returns the command's parser, with a new {@link Subcommand} as user object. */
    @Override
    public CommandLine parser() {
        var parser = new CommandLine(implementation.get());
        parser.setCommandName("mayfly " + word());
        parser.setCaseInsensitiveEnumValuesAllowed(true);
        // Options after a program's name belong to that program.
        parser.setStopAtPositional(this == RUN);
        UsageMessageSpec usage = parser.getCommandSpec().usageMessage();
        usage.description(Character.toUpperCase(summary.charAt(0)) + summary.substring(1) + ".");
        return parser;
    }
}
