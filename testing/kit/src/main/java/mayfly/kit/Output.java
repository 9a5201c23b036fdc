package mayfly.kit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The output of a process, read continuously so that the process never blocks on a full pipe. The last lines are kept
 * for the messages of failed tests.
 */
final class Output {
    /** The number of lines kept of a program that prints while it runs. */
    static final int SOME = 2_000;
    /** The number of lines kept of a program that is run for its output. */
    static final int ALL = 5_000_000;

    private sealed interface Event {
        record Line(String text) implements Event {}

        record End() implements Event {}
    }

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final ArrayDeque<String> kept = new ArrayDeque<>();
    private final int most;
    private final Thread reader;

    Output(String name, InputStream in, int most) {
        this.most = most;
        reader = Thread.ofPlatform().daemon().name(name).start(() -> read(in));
    }

    private void read(InputStream in) {
        try (var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (kept) {
                    kept.add(line);
                    if (kept.size() > most) {
                        kept.remove();
                    }
                }
                events.add(new Event.Line(line));
            }
        } catch (IOException e) {
            events.add(new Event.Line("(the pipe broke: " + e.getMessage() + ")"));
        }
        events.add(new Event.End());
    }

    /** Returns the next line, or null if the stream has ended or no line arrived before the deadline. */
    @Nullable
    String next(long deadlineNanos) throws InterruptedException {
        Event event = events.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        return switch (event) {
            case null -> null;
            case Event.Line line -> line.text();
            case Event.End end -> {
                events.add(end);
                yield null;
            }
        };
    }

    /** Returns all kept lines. */
    String text() {
        synchronized (kept) {
            return String.join("\n", kept);
        }
    }

    /** Waits until the stream has ended. */
    void await(Duration limit) throws InterruptedException {
        reader.join(limit);
    }
}
