package mayfly.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An installation whose command is simulated in this JVM: it returns a given answer and records its arguments. */
final class ScriptedMayfly {
    /** Not this JVM, and no process: it is above the highest process id. */
    static final long PID = 5_000_000;

    private int code;
    private byte[] out = {};
    private String err = "";
    private final List<List<String>> commands = new ArrayList<>();

    /** Sets the answer of the next commands: a success. */
    ScriptedMayfly prints(String text) {
        return ends(0, text, "");
    }

    ScriptedMayfly ends(int exitCode, String printed, String messages) {
        code = exitCode;
        out = printed.getBytes(StandardCharsets.UTF_8);
        err = messages;
        return this;
    }

    Mayfly mayfly() {
        return Mayfly.of(Path.of("/opt/mayfly/mayfly"), command -> {
            commands.add(command);
            return new ScriptedProcess(code, out, err);
        });
    }

    /** Returns the arguments of the last command. */
    List<String> arguments() {
        List<String> last = commands.get(commands.size() - 1);
        return last.subList(1, last.size());
    }

    int count() {
        return commands.size();
    }

    /** Returns JSON that a test of the command has written. */
    static String sample(String name) {
        try (InputStream in = ScriptedMayfly.class.getResourceAsStream("/samples/" + name)) {
            if (in == null) {
                throw new AssertionError("no sample " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
