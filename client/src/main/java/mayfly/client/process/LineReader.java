package mayfly.client.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;

/**
 * A child process whose standard output is read line by line while it runs. Only {@link #next} reads, so a child that
 * prints more than fits into its pipe waits for it.
 */
public final class LineReader implements AutoCloseable {
    /** The longest line, in bytes. A longer one is divided. */
    static final int MAX_LINE = 1 << 20;

    private final Child child;
    private final Queue<String> lines = new ArrayDeque<>();
    /** The beginning of a line whose end has not been read. */
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();

    private OptionalInt exitCode = OptionalInt.empty();

    private LineReader(Child child) {
        this.child = child;
    }

    /**
     * Starts a program that gets no input.
     *
     * @throws IOException if it cannot be started
     */
    public static LineReader start(Starter starter, List<String> command) throws IOException {
        Child child = Child.start(starter, command);
        child.send("");
        return new LineReader(child);
    }

    /**
     * Waits for a line.
     *
     * @return the line without its line feed; empty if there is none by the deadline, or all lines have been read and
     *         the program has ended
     * @throws IOException if the output cannot be read
     * @throws InterruptedException if this thread is interrupted; the program continues then
     */
    public Optional<String> next(Deadline deadline) throws IOException, InterruptedException {
        long pause = Child.MIN_PAUSE;
        while (lines.isEmpty() && exitCode.isEmpty()) {
            Child.Look look = child.look(Math.min(pause, deadline.remainingNanos()));
            divide(child.takeOut());
            if (look == Child.Look.ENDED) {
                exitCode = OptionalInt.of(child.exitCode());
                endLine();
            } else if (deadline.hasPassed()) {
                break;
            }
            pause = Child.pauseAfter(look, pause);
        }
        return Optional.ofNullable(lines.poll());
    }

    private void divide(byte[] read) {
        for (byte each : read) {
            if (each == '\n') {
                lines.add(rest.toString(StandardCharsets.UTF_8));
                rest.reset();
            } else {
                if (rest.size() == MAX_LINE) {
                    endLine();
                }
                rest.write(each);
            }
        }
    }

    private void endLine() {
        if (rest.size() > 0) {
            lines.add(rest.toString(StandardCharsets.UTF_8));
            rest.reset();
        }
    }

    /** Returns the exit code, after {@link #next} has found that the program has ended. */
    public OptionalInt exitCode() {
        return exitCode;
    }

    /** Returns the end of the program's standard error so far. */
    public String err() {
        return child.err();
    }

    /**
     * Ends the program if it is running, as by Ctrl-C.
     *
     * @throws IOException if its pipes cannot be closed
     */
    @Override
    public void close() throws IOException {
        child.close();
    }
}
