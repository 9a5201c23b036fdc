package mayfly.cli.output;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Handles Ctrl-C before the first sample: the command ends as if by the signal, and reports that nothing was written.
 * The handlers are installed before the command line is parsed and remain until the process ends; a recording replaces
 * them while it runs. Signals are per process, and so is this state.
 */
public final class EarlyInterrupt {
    /** A shell adds this to the number of the signal that ended a program. */
    private static final int SIGNALLED = 128;

    private enum State {
        WATCHING,
        ENDING,
        OVER
    }

    private static final AtomicReference<State> state = new AtomicReference<>(State.WATCHING);

    private EarlyInterrupt() {}

    /** Handles signals from now on, if the command records. */
    public static void watch(String[] args, Terminal terminal) {
        if (isRecording(args)) {
            Interrupts.handle(signal -> end(signal, terminal.err()), () -> {});
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
     * Must be called when a recording has installed its own handlers. A signal that is handled here after the recording
     * no longer reports that nothing was written. Does not return if a signal has been received: the process is ending,
     * and must not start a recording.
     */
    public static void over() {
        state.compareAndSet(State.WATCHING, State.OVER);
        while (state.get() == State.ENDING) {
            LockSupport.park();
        }
    }

    private static void end(int signal, PrintStream err) {
        if (state.compareAndSet(State.WATCHING, State.ENDING)) {
            err.println("mayfly: " + ExitCode.INTERRUPTED.meaning());
            err.flush();
        }
        System.exit(SIGNALLED + signal);
    }
}
