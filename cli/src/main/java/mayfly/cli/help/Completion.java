package mayfly.cli.help;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import mayfly.report.Format;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The possible completions after the name of an option or a command, for all shells. */
sealed interface Completion {
    /** Prints the pid and the main class of each JVM, separated by a tab, for the shells' functions. */
    String JVMS = "mayfly ps 2>/dev/null | awk 'NR > 1 { print $1 \"\\t\" $NF }'";

    /** One of a few words. */
    record Words(List<String> words) implements Completion {}

    /** A JVM, by its process id. */
    record Jvm() implements Completion {}

    /** A file. */
    record File() implements Completion {}

    /** An installed program. */
    record Program() implements Completion {}

    /** Any text. */
    record Text() implements Completion {}

    /** Returns the completion for the label of the value in the help. */
    static Completion of(ArgSpec argument) {
        return switch (argument.paramLabel()) {
            case "PID|NAME", "PID" -> new Jvm();
            case "FILE", "IN", "OUT", "JAR[=CLASS]", "FOLDER" -> new File();
            case "COMMAND" -> new Program();
            case "EVENT" ->
                new Words(RecordingEvent.ALL.stream().map(RecordingEvent::id).toList());
            case "HOW" ->
                new Words(Arrays.stream(Collector.values()).map(Collector::id).toList());
            case "FORMAT" ->
                new Words(Arrays.stream(Format.values()).map(Format::id).toList());
            case "bash|zsh|fish" -> new Words(List.of("bash", "zsh", "fish"));
            default -> new Text();
        };
    }

    static CommandSpec spec(DescribedCommand command) {
        return command.parser().getCommandSpec();
    }

    /** Returns the names of commands, separated by blanks. */
    static String words(List<? extends DescribedCommand> commands) {
        return commands.stream().map(DescribedCommand::word).collect(Collectors.joining(" "));
    }

    static boolean takesValue(OptionSpec option) {
        return option.arity().max() > 0;
    }

    /**
     * Returns the first sentence of a description for use in single quotes, without special characters of completions.
     */
    static String sentence(String description) {
        int end = description.indexOf(". ");
        String first = end < 0 ? description : description.substring(0, end);
        return first.replaceAll("[\"`$\\\\\\[\\]]", "").replaceAll("[.:]+$", "").replace("'", "'\\''");
    }
}
