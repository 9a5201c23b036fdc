package mayfly.discovery;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import mayfly.linux.LiveProcess;
import mayfly.linux.trace.Spawn;

/**
 * A program started by Mayfly, stopped before its first instruction until it is resumed. It inherits stdin, stdout and
 * stderr.
 */
public final class SpawnedProcess implements AutoCloseable {
    private final Spawn spawn;
    private final List<String> command;
    private boolean resumed;

    private SpawnedProcess(Spawn spawn, List<String> command) {
        this.spawn = spawn;
        this.command = List.copyOf(command);
    }

    /**
     * Starts a command in the environment of this process, with additional variables.
     *
     * @param gate the program that waits and becomes the command, see {@link Spawn#start}; empty for the shell
     * @param environment the additional variables
     * @throws IOException if it cannot be started
     */
    public static SpawnedProcess start(List<String> gate, List<String> command, Map<String, String> environment)
            throws IOException {
        return new SpawnedProcess(Spawn.start(gate.isEmpty() ? Spawn.SHELL_GATE : gate, command, environment), command);
    }

    public int pid() {
        return spawn.pid();
    }

    /** Returns the command: the program and its arguments. */
    public List<String> command() {
        return command;
    }

    /** Resumes the program. Has no effect if it already runs. */
    public void resume() {
        if (resumed) {
            return;
        }
        resumed = true;
        try {
            spawn.resume();
        } catch (IOException e) {
            spawn.close(); // it has ended meanwhile, which waitFor() reports
        }
    }

    /**
     * Resumes the program with its memory held, so that the memory can be read after the program has ended. If holding
     * is not permitted, the program is resumed without it.
     *
     * @param process this program
     * @param begun called once: before the first instruction if the memory is held, otherwise before the program is
     *     resumed
     */
    public void resumeHeld(LiveProcess process, Runnable begun) {
        try {
            if (!resumed && spawn.resumeHeld(process, begun)) {
                resumed = true;
                return;
            }
        } catch (IOException e) {
            spawn.close(); // it has ended meanwhile, which waitFor() reports
            resumed = true;
        }
        begun.run();
        resume();
    }

    /**
     * Waits for the end of the program. Returns its exit status, or 128 plus the number of the signal that ended it.
     */
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

    /** Kills the program if it still runs. */
    @Override
    public void close() {
        spawn.kill();
        spawn.close();
    }
}
