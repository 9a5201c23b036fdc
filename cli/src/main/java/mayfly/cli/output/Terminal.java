package mayfly.cli.output;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where a command prints. Results go to {@code out}, everything else to {@code err}.
 *
 * @param out standard output
 * @param err standard error
 * @param outIsTerminal whether a person reads {@code out}
 * @param errIsTerminal whether a person reads {@code err}
 * @param outIsPipe whether {@code out} is a pipe or a socket, whose reader may close it
 * @param environment the environment variables
 */
public record Terminal(PrintStream out, PrintStream err, boolean outIsTerminal, boolean errIsTerminal, boolean outIsPipe,
                Map<String, String> environment) {

    private static final int UNKNOWN_COLUMNS = 100;
    private static final int NARROWEST = 20;

    /** The process's own. The launcher says what is a terminal: Java cannot tell for stderr. */
    public static Terminal ofProcess() {
        return new Terminal(System.out, System.err, Boolean.getBoolean("mayfly.stdout.tty"),
                Boolean.getBoolean("mayfly.stderr.tty"), isPipe(Path.of("/proc/self/fd/1")), System.getenv());
    }

    /** The same, with results on {@code err} too: for a command whose standard output belongs to somebody else. */
    public Terminal withResultsOnErr() {
        return new Terminal(err, err, errIsTerminal, errIsTerminal, outIsPipe, environment);
    }

    private static boolean isPipe(Path descriptor) {
        try {
            String file = Files.readSymbolicLink(descriptor).toString();
            return file.startsWith("pipe:") || file.startsWith("socket:");
        } catch (IOException e) {
            return false; // a closed descriptor, or no /proc: a failed write is reported
        }
    }

    /**
     * Prints what a profiler, or a process that passes for its host, has sent, on lines of their own. A person gets it with
     * control characters spelt out; a file or a pipe gets every byte.
     */
    public void printUntrusted(byte[] bytes) {
        if (outIsTerminal) {
            out.print(Text.forTerminal(new String(bytes, StandardCharsets.UTF_8)));
        } else {
            out.writeBytes(bytes);
        }
        if (bytes.length == 0 || bytes[bytes.length - 1] != '\n') {
            out.println();
        }
    }

    /** Whether {@code err} understands carriage returns and escape sequences. */
    boolean errCanRedraw() {
        return errIsTerminal && !"dumb".equals(environment.get("TERM"));
    }

    /** Whether colour is welcome on {@code out}. See no-color.org. */
    public boolean outInColour() {
        String noColour = environment.get("NO_COLOR");
        return outIsTerminal && (noColour == null || noColour.isEmpty()) && !"dumb".equals(environment.get("TERM"));
    }

    /** Width of the terminal in columns: COLUMNS, or what the launcher measured; 100 if not known. */
    public int columns() {
        String columns = environment.get("COLUMNS");
        if (columns != null && columns.matches("[1-9][0-9]{1,3}")) {
            return Integer.parseInt(columns);
        }
        int measured = Integer.getInteger("mayfly.columns", UNKNOWN_COLUMNS);
        return measured < NARROWEST ? UNKNOWN_COLUMNS : measured;
    }
}
