package mayfly.cli.output;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The output streams of a command. Results go to {@code out}, everything else to {@code err}.
 *
 * @param out standard output
 * @param err standard error
 * @param outIsTerminal true if {@code out} is a terminal
 * @param errIsTerminal true if {@code err} is a terminal
 * @param outIsPipe true if {@code out} is a pipe or a socket, whose reader may close it
 * @param environment the environment variables
 */
public record Terminal(
        PrintStream out,
        PrintStream err,
        boolean outIsTerminal,
        boolean errIsTerminal,
        boolean outIsPipe,
        Map<String, String> environment) {

    private static final int UNKNOWN_COLUMNS = 100;
    private static final int MIN_COLUMNS = 20;

    /**
     * Returns the terminal of this process. The launcher reports the streams that are terminals: Java cannot detect
     * this for stderr.
     */
    public static Terminal ofProcess() {
        return new Terminal(
                System.out,
                System.err,
                Boolean.getBoolean("mayfly.stdout.tty"),
                Boolean.getBoolean("mayfly.stderr.tty"),
                isPipe(Path.of("/proc/self/fd/1")),
                System.getenv());
    }

    /**
     * Returns a terminal that prints results on {@code err} too: for a command whose standard output belongs to
     * another program.
     */
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
     * Prints bytes sent by a profiler, or by a process posing as its host, on lines of their own. On a terminal,
     * control characters are escaped; a file or a pipe gets every byte.
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

    /** Returns true if {@code err} supports carriage returns and escape sequences. */
    boolean errCanRedraw() {
        return errIsTerminal && !"dumb".equals(environment.get("TERM"));
    }

    /** Returns true if {@code out} should be coloured. See no-color.org. */
    public boolean outInColour() {
        String noColour = environment.get("NO_COLOR");
        return outIsTerminal && (noColour == null || noColour.isEmpty()) && !"dumb".equals(environment.get("TERM"));
    }

    /** Returns the width of the terminal in columns: COLUMNS, or the value measured by the launcher; 100 if unknown. */
    public int columns() {
        String columns = environment.get("COLUMNS");
        if (columns != null && columns.matches("[1-9][0-9]{1,3}")) {
            return Integer.parseInt(columns);
        }
        int measured = Integer.getInteger("mayfly.columns", UNKNOWN_COLUMNS);
        return measured < MIN_COLUMNS ? UNKNOWN_COLUMNS : measured;
    }
}
