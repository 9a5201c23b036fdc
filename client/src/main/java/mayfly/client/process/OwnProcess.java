package mayfly.client.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs commands that inspect the process that starts them. If the kernel's module Yama permits a process to trace only
 * its descendants (ptrace_scope is 1), this process permits the command to trace it until the command ends.
 *
 * <p>The permission needs the id of the command's process, which is known only when it has been started. Therefore a
 * shell is started, which waits for a line and then becomes the command, with the same id. PR_SET_PTRACER_ANY, which
 * needs no id, would permit every process of the user.
 */
public final class OwnProcess {
    private static final OwnProcess THIS = new OwnProcess(Path.of("/proc/sys/kernel/yama/ptrace_scope"), new Prctl());
    private static final List<String> SHELL = List.of("/bin/sh", "-c", "read -r go && exec \"$@\"", "mayfly");
    private static final String DESCENDANTS_ONLY = "1";
    private static final long NO_PROCESS = 0;

    private final Path scope;
    private final TracePermission ptracer;
    /** The kernel keeps one permitted process for each process: commands run one after the other. */
    private final Semaphore one = new Semaphore(1, true);

    OwnProcess(Path scope, TracePermission ptracer) {
        this.scope = scope;
        this.ptracer = ptracer;
    }

    /** Returns the process of this JVM. */
    public static OwnProcess current() {
        return THIS;
    }

    /**
     * Runs a program, like {@link Child#run}. If it cannot be permitted to trace this process, it runs nevertheless,
     * because it may have a privilege, and the result has the reason.
     *
     * @throws IOException if the program cannot be started
     * @throws InterruptedException if this thread is interrupted, after the child has ended
     */
    public Ended run(Starter starter, List<String> command, Deadline deadline)
            throws IOException, InterruptedException {
        if (!needsPermission()) {
            return Child.run(starter, command, deadline);
        }
        Optional<String> obstacle = ptracer.obstacle();
        if (obstacle.isPresent()) {
            return Child.run(starter, command, deadline).because(obstacle);
        }
        if (!one.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
            return new Ended(
                    Ended.How.TIME_LIMIT,
                    Ended.NO_CODE,
                    new byte[0],
                    "",
                    Optional.of("another command is inspecting this process"));
        }
        try {
            return permitted(starter, command, deadline);
        } finally {
            one.release();
        }
    }

    private Ended permitted(Starter starter, List<String> command, Deadline deadline)
            throws IOException, InterruptedException {
        var waiting = new ArrayList<>(SHELL);
        waiting.addAll(command);
        Child child = Child.start(starter, waiting);
        Optional<String> refused = ptracer.permit(child.pid());
        try {
            child.send("go\n");
            return child.await(deadline).because(refused);
        } finally {
            ptracer.permit(NO_PROCESS);
        }
    }

    private boolean needsPermission() {
        try {
            return Files.readString(scope).strip().equals(DESCENDANTS_ONLY);
        } catch (IOException e) {
            return false; // a kernel without Yama, or no /proc: if the command is refused, it says why
        }
    }
}
