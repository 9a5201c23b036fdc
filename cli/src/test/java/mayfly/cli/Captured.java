package mayfly.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import mayfly.cli.output.Terminal;

/** Runs commands on a terminal that captures the printed text. */
public final class Captured {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>();
    private boolean isTerminal;

    public Captured with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    public Captured asTerminal() {
        isTerminal = true;
        return this;
    }

    public Terminal terminal() {
        return new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                isTerminal,
                isTerminal,
                false,
                environment);
    }

    /** Returns a terminal with another standard output. */
    public Terminal withOutput(PrintStream other, boolean isPipe) {
        return new Terminal(
                other, new PrintStream(err, true, StandardCharsets.UTF_8), false, false, isPipe, environment);
    }

    public int run(String... args) {
        return Main.run(args, terminal());
    }

    /** Discards the text printed so far. */
    public void clear() {
        out.reset();
        err.reset();
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
