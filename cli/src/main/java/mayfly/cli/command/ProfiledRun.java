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
    private ProfiledRun() {}

    /**
     * The environment variable that refers to the files.
     *
     * @param name of the variable
     * @param value that Mayfly adds to the user's own
     * @param separator between both
     */
    private record Variable(String name, String value, String separator) {
        static Variable of(LaunchFiles files, boolean preload) throws AttachFailed {
            return preload
                    ? new Variable("LD_PRELOAD", files.preload().toString(), ":")
                    : new Variable("JAVA_TOOL_OPTIONS", files.option(), " ");
        }

        /** Adds the value to the user's own, which stays in effect. */
        Map<String, String> addedTo(Map<String, String> environment, Terminal terminal) {
            @Nullable
            String theirs =
                    environment.getOrDefault(name, terminal.environment().get(name));
            var result = new HashMap<>(environment);
            result.put(name, theirs == null || theirs.isBlank() ? value : theirs + separator + value);
            return result;
        }
    }

    /**
     * Runs a program to its end.
     *
     * @param preload true to name the files by {@code LD_PRELOAD}
     * @param environment variables set for the program in addition to those of this process
     * @return the program's exit status
     */
    static int run(
            LaunchRequest request,
            boolean preload,
            List<String> command,
            Map<String, String> environment,
            Terminal terminal)
            throws CommandFailed {
        RunCommand.requireProgram(command.getFirst());
        EventLog log = EventLog.of(terminal.environment());
        LaunchFiles files;
        try {
            files = LaunchFiles.temporary(request);
        } catch (AttachFailed e) {
            throw refused(request, e, log, terminal);
        }
        try (SpawnedProcess target =
                RunCommand.start(command, Variable.of(files, preload).addedTo(environment, terminal))) {
            log.add(terminal, "launch", target.pid(), Status.OK, request.jar().toString());
            target.resume();
            return RunCommand.waitFor(
                    target,
                    () -> terminal.err()
                            .println("mayfly: " + files.folder()
                                    + " remains, because this command did not wait for the program; remove it when the"
                                    + " program has ended"));
        } catch (AttachFailed e) {
            throw refused(request, e, log, terminal);
        } finally {
            remove(files, terminal);
        }
    }

    private static CommandFailed refused(LaunchRequest request, AttachFailed e, EventLog log, Terminal terminal) {
        log.add(terminal, "launch", 0, e.status(), request.jar() + ": " + e.getMessage());
        return Message.of(e);
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

    /** Creates the files for a program that the user starts, and prints the variable for it. */
    static void print(LaunchRequest request, boolean preload, Path folder, Terminal terminal) throws CommandFailed {
        try {
            Variable variable = Variable.of(LaunchFiles.in(folder, request), preload);
            terminal.out().println(variable.name() + "=" + variable.value());
        } catch (AttachFailed e) {
            throw Message.of(e);
        }
    }
}
