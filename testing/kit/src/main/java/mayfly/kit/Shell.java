package mayfly.kit;

import java.util.List;
import java.util.stream.Collectors;

/** Formats command lines for a shell. */
public final class Shell {
    private Shell() {}

    /** Returns a line that runs the command in a POSIX shell. */
    public static String line(List<String> command) {
        return command.stream().map(Shell::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./:=+,@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
