package mayfly.cli.command;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.cli.file.EventLog;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.SpawnedProcess;
import org.jspecify.annotations.Nullable;

/** {@code mayfly run --profiler}: runs a program whose JVMs start with a profiler. */
final class ProfiledRun {
    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";

    private ProfiledRun() {}

    /**
     * Runs a program to its end.
     *
     * @param environment variables set for the program in addition to those of this process
     * @return the program's exit status
     */
    static int run(LaunchRequest request, List<String> command, Map<String, String> environment, Terminal terminal)
            throws CommandFailed {
        RunCommand.requireProgram(command.getFirst());
        EventLog log = EventLog.of(terminal.environment());
        LaunchFiles files;
        try {
            files = LaunchFiles.temporary(request);
        } catch (AttachFailed e) {
            log.add(terminal, "launch", 0, e.status(), request.jar() + ": " + e.getMessage());
            throw Message.of(e);
        }
        try (SpawnedProcess target = RunCommand.start(command, with(environment, terminal, files.option()))) {
            log.add(terminal, "launch", target.pid(), Status.OK, request.jar().toString());
            target.resume();
            return RunCommand.waitFor(
                    target,
                    () -> terminal.err()
                            .println("mayfly: " + files.folder()
                                    + " remains, because this command did not wait for the program; remove it when the"
                                    + " program has ended"));
        } finally {
            remove(files, terminal);
        }
    }

    /** Removes the files. A failure is reported, but does not replace the program's exit status. */
    private static void remove(LaunchFiles files, Terminal terminal) {
        try {
            List<Long> named = files.remove();
            if (!named.isEmpty()) {
                terminal.err()
                        .println("mayfly: " + files.folder() + " remains, because a JVM started by process "
                                + named.getFirst() + " may need it; remove it when that process has ended");
            }
        } catch (AttachFailed e) {
            terminal.err().println("mayfly: " + e.getMessage());
        }
    }

    /** Creates the files for a program that the user starts, and prints the option for it. */
    static void print(LaunchRequest request, Path folder, Terminal terminal) throws CommandFailed {
        try {
            LaunchFiles files = LaunchFiles.in(folder, request);
            terminal.out().println(VARIABLE + "=" + files.option());
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
    }

    /** Adds the option to the user's own value of the variable, which stays in effect. */
    private static Map<String, String> with(Map<String, String> environment, Terminal terminal, String option) {
        @Nullable
        String theirs =
                environment.getOrDefault(VARIABLE, terminal.environment().get(VARIABLE));
        var result = new HashMap<>(environment);
        result.put(VARIABLE, theirs == null || theirs.isBlank() ? option : theirs + " " + option);
        return result;
    }
}
