package mayfly.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import mayfly.client.MayflyException.Reason;
import mayfly.client.json.BadJson;
import mayfly.client.json.JsonObject;
import mayfly.client.process.Child;
import mayfly.client.process.Deadline;
import mayfly.client.process.Ended;
import mayfly.client.process.LineReader;
import mayfly.client.process.OwnProcess;
import mayfly.client.process.Starter;

/**
 * A command and its options, its run, and the reading of its answer. Immutable. An option that is given twice has its
 * last value.
 *
 * @param mayfly the installation
 * @param command the name of the command
 * @param pid the target; empty if the command has none
 * @param options each option, with its value, as one word of the command line, by the name of the option
 */
record Invocation(Mayfly mayfly, String command, Optional<Long> pid, Map<String, String> options) {
    private static final Duration MAX_DURATION = Duration.ofDays(10_000);

    /** Reads an answer. */
    @FunctionalInterface
    interface AnswerReader<T> {
        T read(String line) throws BadJson;
    }

    Invocation {
        options = Map.copyOf(options);
    }

    static Invocation of(Mayfly mayfly, String command, Optional<Long> pid) {
        return new Invocation(mayfly, command, pid, Map.of());
    }

    Invocation with(String option) {
        return withWord(option, option);
    }

    Invocation with(String option, String value) {
        return withWord(option, option + "=" + value);
    }

    /**
     * @throws IllegalArgumentException if the duration is not a positive whole number of milliseconds, or is more than
     *         10,000 days
     */
    Invocation with(String option, Duration value) {
        return with(option, seconds(value));
    }

    Invocation with(String option, Path value) {
        return with(option, value.toAbsolutePath().toString());
    }

    private Invocation withWord(String option, String word) {
        var more = new LinkedHashMap<>(options);
        more.put(option, word);
        return new Invocation(mayfly, command, pid, more);
    }

    private static String seconds(Duration duration) {
        if (duration.isNegative()
                || duration.isZero()
                || duration.compareTo(MAX_DURATION) > 0
                || duration.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException("a duration must be a positive whole number of milliseconds, at most "
                    + MAX_DURATION.toDays() + " days: " + duration);
        }
        return String.format(Locale.ROOT, "%d.%03ds", duration.toSeconds(), duration.toMillisPart());
    }

    /** Runs the command, and returns what it printed. */
    byte[] answer(String... operands) throws MayflyException, InterruptedException {
        Ended ended = ended(operands);
        if (ended.code() != 0) {
            throw failed(ended);
        }
        return ended.out();
    }

    /** Runs the command, and reads the object that it printed. */
    <T> T object(String schema, JsonObject.Reader<T> reader) throws MayflyException, InterruptedException {
        return read(schema, answer(), reader);
    }

    /** Like {@link #object}, for a command that prints its answer and exits with 1 for one of its possible answers. */
    <T> T objectWithVerdict(String schema, JsonObject.Reader<T> reader) throws MayflyException, InterruptedException {
        Ended ended = ended();
        boolean isVerdict = ended.code() == 1 && ended.out().length > 0;
        if (ended.code() != 0 && !isVerdict) {
            throw failed(ended);
        }
        return read(schema, ended.out(), reader);
    }

    private static <T> T read(String schema, byte[] answer, JsonObject.Reader<T> reader) throws MayflyException {
        return read(answer, line -> {
            JsonObject json = JsonObject.parse(line);
            if (!schema.isEmpty() && !json.text("schema").equals(schema)) {
                throw new BadJson("the schema is " + json.text("schema") + " instead of " + schema);
            }
            return reader.read(json);
        });
    }

    /** Reads the last line that a command printed. */
    static <T> T read(byte[] answer, AnswerReader<T> reader) throws MayflyException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(answer))
                    .toString();
            String lines = text.stripTrailing();
            return reader.read(lines.substring(lines.lastIndexOf('\n') + 1));
        } catch (CharacterCodingException | BadJson e) {
            throw MayflyException.of(
                    Reason.BAD_ANSWER,
                    "the answer of mayfly cannot be read: " + e.getMessage(),
                    "check that the command and this library have compatible versions",
                    "",
                    e);
        }
    }

    private Ended ended(String... operands) throws MayflyException, InterruptedException {
        Ended ended;
        try {
            ended = run(words(operands));
        } catch (IOException e) {
            throw notRun(e);
        }
        switch (ended.how()) {
            case TIME_LIMIT ->
                throw MayflyException.of(
                        Reason.TIME_LIMIT,
                        "mayfly " + command
                                + " did not end within "
                                + mayfly.limit().map(Duration::toString).orElse("")
                                + remark(ended),
                        "",
                        ended.err(),
                        null);
            case TOO_LARGE ->
                throw MayflyException.of(
                        Reason.ANSWER_TOO_LARGE,
                        "mayfly " + command + " printed more than " + Child.MAX_OUT + " bytes",
                        "",
                        ended.err(),
                        null);
            case EXITED -> {}
        }
        return ended;
    }

    /** Starts the command, whose lines are read while it runs. */
    LineReader lines() throws MayflyException {
        try {
            return LineReader.start(mayfly.starter(), words());
        } catch (IOException e) {
            throw notRun(e);
        }
    }

    static MayflyException notRun(IOException e) {
        return MayflyException.of(Reason.NOT_STARTED, "mayfly cannot be run: " + e.getMessage(), "", "", e);
    }

    private Ended run(List<String> words) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(mayfly.limit());
        Starter starter = mayfly.starter();
        return pid.isPresent() && pid.get() == ProcessHandle.current().pid()
                ? OwnProcess.current().run(starter, words, deadline)
                : Child.run(starter, words, deadline);
    }

    private static MayflyException failed(Ended ended) {
        boolean mayBeDenied = Reason.ofExitCode(ended.code()) == Reason.NOT_PERMITTED;
        return MayflyException.ofCommand(ended.code(), ended.err(), mayBeDenied ? remark(ended) : "");
    }

    private static String remark(Ended ended) {
        return ended.untraceable()
                .map(reason -> "; this JVM did not permit the command to trace it: " + reason)
                .orElse("");
    }

    /** Returns the command line. After the two hyphens, no operand is mistaken for an option. */
    private List<String> words(String... operands) {
        var words = new ArrayList<String>();
        words.add(mayfly.command().toString());
        words.add(command);
        options.values().stream().sorted().forEach(words::add);
        pid.ifPresent(id -> {
            words.add("--");
            words.add(id.toString());
        });
        for (String operand : operands) {
            // The command expands an argument that begins with @ to the lines of a file, unless it begins with two.
            words.add(operand.startsWith("@") ? "@" + operand : operand);
        }
        words.forEach(Invocation::checkEncoding);
        return words;
    }

    private static void checkEncoding(String word) {
        String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
        boolean fits = !Charset.isSupported(encoding)
                || Charset.forName(encoding).newEncoder().canEncode(word);
        if (!fits || word.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "cannot be passed on a command line in the encoding " + encoding + ": " + word);
        }
    }
}
