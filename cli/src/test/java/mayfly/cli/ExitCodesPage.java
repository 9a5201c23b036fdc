package mayfly.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import mayfly.api.Status;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.ExitCodes;
import mayfly.cli.output.Message;
import mayfly.discovery.Refused;

/** Generates the table of docs/exit-codes.md: each code with its meaning and the messages of the failures. */
final class ExitCodesPage {
    private static final String HEAD = """
        # Exit codes

        The tests of `cli` generate the table from the code (`-Dgolden=write`). The third column has the words in \
        brackets at
        the end of error messages.

        | code | meaning | messages |
        |---|---|---|
        """;

    private ExitCodesPage() {}

    /** Returns the page with the current table. The text after the table of the given page is kept. */
    static String markdown(String page) {
        int table = page.indexOf("\n| ");
        int end = page.indexOf("\n\n", table);
        return HEAD + rows() + page.substring(end + 1);
    }

    private static String rows() {
        var rows = new TreeMap<Integer, String>();
        for (ExitCode exit : ExitCode.values()) {
            rows.put(exit.code(), row(exit.code(), exit.meaning() + remark(exit), messages(exit)));
        }
        for (Status status : Status.values()) {
            if (status != Status.OK) {
                rows.put(
                        ExitCodes.of(status),
                        row(ExitCodes.of(status), status + ": " + status.meaning(), List.of(Message.id(status))));
            }
        }
        return String.join("", rows.values());
    }

    private static String row(int code, String meaning, List<String> messages) {
        String links = messages.stream()
                .map(id -> "[" + id + "](troubleshooting.md#" + id + ")")
                .collect(Collectors.joining(", "));
        return "| " + code + " | " + meaning + " | " + (links.isEmpty() ? "–" : links) + " |\n";
    }

    private static List<String> messages(ExitCode exit) {
        Stream<String> refusals = Arrays.stream(Refused.Reason.values())
                .filter(reason -> ExitCodes.of(reason) == exit)
                .map(Refused.Reason::id);
        Stream<String> messages = Arrays.stream(Message.values())
                .filter(message -> message.exitCode() == exit)
                .map(Message::id);
        var all = new ArrayList<>(Stream.concat(refusals, messages).distinct().toList());
        if (exit == ExitCode.NO_JDK) {
            all.add("no-jdk");
        }
        return all;
    }

    private static String remark(ExitCode exit) {
        return switch (exit) {
            case DONE ->
                ". Includes a recording that was ended early by Ctrl-C, whose target ended, or whose target"
                        + " used no CPU";
            case FAILED -> "; the message says how. `audit --compare`: a profiler has left something";
            case USAGE ->
                ", unknown format or event, a file that is not a saved audit or is of another process, or a"
                        + " rate above the kernel's maximum";
            case NOT_FOUND ->
                " (candidates are listed). Also a process that is not a JVM or is a zombie, a process in"
                        + " which `--runtime` finds no JVM, and a process with several JVMs if `--runtime` is missing";
            case NOT_PERMITTED ->
                " to sample, to stop threads or to inspect the process; the message names the"
                        + " setting. `doctor` exits with 4 if recording is not possible";
            case UNSUPPORTED -> ". `attach`: a Java that cannot host a profiler";
            case NO_JDK, INTERRUPTED -> "";
            case READER_GONE ->
                ", as `head` does. Mayfly prints nothing about it, except where a recording is kept."
                        + " The same applies to a pipe that is named as the output";
        };
    }
}
