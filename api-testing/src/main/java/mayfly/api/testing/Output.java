package mayfly.api.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The output of a program. A thread reads it continuously, so that the program never waits for a reader, and ends with
 * it. The last lines are kept.
 */
final class Output {
    /** The number of lines that are kept for messages. */
    static final int KEPT = 500;
    /** The number of lines that {@link #await} has not looked at yet and that are kept for it. */
    static final int UNSEEN = 10_000;
    /** The longest line, in bytes. A longer one is divided. */
    static final int MAX_LINE = 16 << 10;

    private final ArrayDeque<String> kept = new ArrayDeque<>();
    private final ArrayDeque<String> unseen = new ArrayDeque<>();
    private boolean hasEnded;

    /** Starts to read. */
    static Output of(InputStream in, String name) {
        var output = new Output();
        var reader = new Thread(() -> output.read(in), name);
        reader.setDaemon(true);
        reader.start();
        return output;
    }

    private void read(InputStream in) {
        var line = new ByteArrayOutputStream();
        try (var buffered = new BufferedInputStream(in)) {
            for (int each = buffered.read(); each >= 0; each = buffered.read()) {
                if (each == '\n' || line.size() == MAX_LINE) {
                    add(line);
                }
                if (each != '\n') {
                    line.write(each);
                }
            }
        } catch (IOException e) {
            line.writeBytes(("(the output cannot be read: " + e.getMessage() + ")").getBytes(StandardCharsets.UTF_8));
        }
        if (line.size() > 0) {
            add(line);
        }
        end();
    }

    private synchronized void add(ByteArrayOutputStream bytes) {
        String line = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        append(kept, line, KEPT);
        append(unseen, line, UNSEEN);
        notifyAll();
    }

    private static void append(ArrayDeque<String> lines, String line, int most) {
        lines.add(line);
        if (lines.size() > most) {
            lines.remove();
        }
    }

    private synchronized void end() {
        hasEnded = true;
        notifyAll();
    }

    /**
     * Waits for a line that contains a text, among those that no earlier call has looked at.
     *
     * @return the line; empty if it was not printed in this time, or the output has ended
     */
    synchronized Optional<String> await(String text, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            for (String line = unseen.poll(); line != null; line = unseen.poll()) {
                if (line.contains(text)) {
                    return Optional.of(line);
                }
            }
            long remaining = end - System.nanoTime();
            if (hasEnded || remaining <= 0) {
                return Optional.empty();
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(remaining, TimeUnit.MILLISECONDS.toNanos(1)));
        }
    }

    /** Waits until the output has ended. */
    synchronized void awaitEnd(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        for (long remaining = end - System.nanoTime();
                !hasEnded && remaining > 0;
                remaining = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(remaining, TimeUnit.MILLISECONDS.toNanos(1)));
        }
    }

    synchronized boolean hasEnded() {
        return hasEnded;
    }

    /** Returns the last lines. */
    synchronized String text() {
        return String.join("\n", kept);
    }
}
