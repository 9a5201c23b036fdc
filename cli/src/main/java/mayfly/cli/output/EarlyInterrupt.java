package mayfly.cli.output;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Handles Ctrl-C before the first sample: the JVM ends as for any program, and a shutdown hook reports that nothing was
 * written. A handler for the signals would be a class that the JVM generates, for which a user would wait (decision
 * 34); a recording installs one when it runs. Signals are per process, and so is this state.
 */
public final class EarlyInterrupt {
    private enum State {
        WATCHING,
        ENDING,
        OVER
    }

    private static final AtomicReference<State> state = new AtomicReference<>(State.WATCHING);

    private EarlyInterrupt() {}

    /** Handles signals from now on, if the command records. The command must call {@link #over} before it ends. */
    public static void watch(String[] args, Terminal terminal) {
        if (isRecording(args)) {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(terminal.err()), "interrupt"));
            } catch (IllegalStateException e) {
                state.set(State.ENDING); // the JVM has received a signal before, and is ending
                over();
            }
        }
    }

    private static boolean isRecording(String[] args) {
        return switch (args.length == 0 ? "" : args[0]) {
            case "record", "demo" -> true;
            case "run" ->
                Arrays.stream(args)
                        .takeWhile(word -> !word.equals("--"))
                        .noneMatch(word -> word.startsWith("--profiler"));
            case "stack" -> Arrays.stream(args).anyMatch(word -> word.startsWith("--every"));
            default -> false;
        };
    }

    /**
     * Must be called when a recording has installed its own handlers, and before a command ends without one. A signal
     * that arrives later no longer reports that nothing was written. Does not return if a signal has been received: the
     * process is ending, and must not start a recording.
     */
    public static void over() {
        state.compareAndSet(State.WATCHING, State.OVER);
        while (state.get() == State.ENDING) {
            LockSupport.park();
        }
    }

    private static void end(PrintStream err) {
        if (state.compareAndSet(State.WATCHING, State.ENDING)) {
            err.println("mayfly: " + ExitCode.INTERRUPTED.meaning());
            err.flush();
        }
    }
}
