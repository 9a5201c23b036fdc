package mayfly.discovery;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.linux.LiveProcess;
import mayfly.linux.trace.Spawn;

/**
 * A program started by us, stopped before its first instruction until it is resumed. It has our stdin, stdout, stderr.
 */
public final class SpawnedProcess implements AutoCloseable {
    private final Spawn spawn;
    private final List<String> command;
    /** The execve(2) calls up to that of the command. */
    private final int execs;
    private boolean resumed;

    private SpawnedProcess(Spawn spawn, List<String> command, int execs) {
        this.spawn = spawn;
        this.command = List.copyOf(command);
        this.execs = execs;
    }

    /**
     * Starts a command in our environment.
     *
     * @throws IOException if it cannot be started
     */
    public static SpawnedProcess start(List<String> command) throws IOException {
        return start(command, Map.of());
    }

    /**
     * Starts a command in our environment, changed.
     *
     * @param environment variables that are set in addition
     * @throws IOException if it cannot be started
     */
    public static SpawnedProcess start(List<String> command, Map<String, String> environment) throws IOException {
        List<String> line = new ArrayList<>();
        if (!environment.isEmpty()) {
            line.add("/usr/bin/env");
            environment.forEach((name, value) -> line.add(name + "=" + value));
        }
        line.addAll(command);
        return new SpawnedProcess(Spawn.start(line), command, environment.isEmpty() ? 1 : 2);
    }

    public int pid() {
        return spawn.pid();
    }

    /** What it will become: the program and its arguments. */
    public List<String> command() {
        return command;
    }

    /** Lets it run. Does nothing if it runs already. */
    public void resume() {
        if (resumed) {
            return;
        }
        resumed = true;
        try {
            spawn.resume();
        } catch (IOException e) {
            spawn.close(); // it has ended meanwhile, which waitFor() will tell
        }
    }

    /**
     * Lets it run with its memory held, so that it can be read when the program has ended; where that is not permitted,
     * lets it run.
     *
     * @param process this program
     * @param begun called once, before its first instruction where the memory is held, else before it is let go
     */
    public void resumeHeld(LiveProcess process, Runnable begun) {
        try {
            if (!resumed && spawn.resumeHeld(process, execs, begun)) {
                resumed = true;
                return;
            }
        } catch (IOException e) {
            spawn.close(); // it has ended meanwhile, which waitFor() will tell
            resumed = true;
        }
        begun.run();
        resume();
    }

    /** Waits for its end. Its exit status, or 128 and the number of the signal that ended it. */
    public int waitFor() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return spawn.waitFor();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Kills it if it still runs. */
    @Override
    public void close() {
        spawn.kill();
        spawn.close();
    }
}
