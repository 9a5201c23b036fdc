package mayfly.cli.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.profile.RuntimeId;
import mayfly.profile.capture.CaptureReader;
import mayfly.report.Format;
import mayfly.report.tree.ConversionOptions;

/** The shell command that converts an existing capture again. */
public final class Retry {
    private Retry() {}

    public static String convert(Path capture, String event, Path output, Format format, ConversionOptions options) {
        List<String> words = words("convert", event, options);
        Path name = output.getFileName();
        if (Format.ofFileName(String.valueOf(name)).filter(format::equals).isEmpty()) {
            words.addAll(List.of("--format", format.id()));
        }
        words.add(path(capture));
        words.add(path(output));
        return line(words);
    }

    public static String report(Path capture, String event, ConversionOptions options) {
        List<String> words = words("report", event, options);
        words.add(path(capture));
        return line(words);
    }

    /**
     * Adds the advice to try again if the failure leaves the capture intact, but not if the capture itself, or the
     * choice of its event, is the cause.
     */
    public static CommandFailed advise(CommandFailed failure, Path capture, String command) {
        boolean ofCapture = Stream.of(Message.INPUT, Message.NOT_A_CAPTURE, Message.UNKNOWN_EVENT)
                .anyMatch(message -> message.id().equals(failure.id()));
        return ofCapture || failure.isSilent()
                ? failure
                : failure.advising("the recording is unchanged: " + capture + "\nto try again: " + command);
    }

    private static List<String> words(String command, String event, ConversionOptions options) {
        var words = new ArrayList<>(List.of("mayfly", command));
        if (!event.equals(CaptureReader.FIRST_EVENT)) {
            words.addAll(List.of("--event", event));
        }
        if (options.threads()) {
            words.add("--threads");
        }
        if (!options.natives()) {
            words.add("--no-native");
        }
        if (options.lines()) {
            words.add("--lines");
        }
        RuntimeId.Choice runtime = options.runtime();
        if (runtime != null) {
            words.addAll(List.of("--runtime", runtime.toString()));
        }
        return words;
    }

    /** Escapes a name that begins with a hyphen, which would be an option; the hyphen alone is standard output. */
    private static String path(Path path) {
        return path.toString().startsWith("-") && !OutputFile.isStandardOutput(path) ? "./" + path : path.toString();
    }

    private static String line(List<String> words) {
        return words.stream().map(Retry::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
