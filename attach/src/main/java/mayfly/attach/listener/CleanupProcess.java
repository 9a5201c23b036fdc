package mayfly.attach.listener;

import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;

/**
 * A process that removes a file which Mayfly creates in a directory of the target, if Mayfly cannot do so itself. It is
 * a shell that reads commands from a pipe and outlives this process. The end of the pipe means that Mayfly has finished
 * or has died, for any reason.
 *
 * <p>A file that a signal depends on remains until the JVM has handled the signal. This may be long after Mayfly has
 * given up, for example when a debugger resumes the JVM. The only evidence visible from outside is that the JVM
 * listens. The file is removed after a day at the latest. If Mayfly dies between sending the signal and reporting it,
 * the file is removed after a second. If the JVM was requested to load a library, the library remains without a time
 * limit while a connection to the JVM's attach listener is open or waits to be accepted: the connection may carry this
 * request, which cannot be revoked. See proc_net(5) for the kernel's table of sockets. No command line contains the
 * library's name while a request is pending, even if a cleaner of old files has removed the library: a user who learns
 * the name could put another library in its place. The name is passed to rm(1) afterwards.
 *
 * <p>The target's user owns the library's directory and may replace it, or mount another one over it. The shell
 * therefore removes only the one file and the host's socket, by their random name, and then the directory if it is
 * empty.
 */
final class CleanupProcess implements Cleanup {
    /**
     * The start time, field 22 of /proc/PID/stat, distinguishes the process from another one with the same id. Field 2
     * may contain any characters, so the script counts from the last parenthesis.
     */
    private static final String SCRIPT = """
        trap '' HUP INT QUIT TERM
        pid=$1 start=$2 socket=$3 file= pending=
        echo ready
        while read -r what name; do
            case $what in
                made) file=$name ;;
                sent) pending=signal ;;
                loading) pending=load ;;
                gone) file= ;;
            esac
        done
        trap - TERM
        is_there() {
            read -r stat <"/proc/$pid/stat" && set -- ${stat##*) } && [ "${20}" = "$start" ] || return 1
            [ "$1" != Z ] && return 0
            set -- "/proc/$pid/task/"*
            [ $# -gt 1 ]
        }
        is_asked() {
            [ -r "/proc/$pid/net/unix" ] || return 0
            sockets=0
            while read -r line; do
                case $line in *"/${socket##*/}.tmp") sockets=$((sockets + 1)) ;; esac
            done <"/proc/$pid/net/unix"
            [ $sockets -gt 1 ]
        }
        is_needed() {
            case $pending in
                signal) [ ! -S "$socket" ] ;;
                load) is_asked ;;
                *) false ;;
            esac
        }
        [ -n "$file" ] || exit 0
        sleep 1
        seconds=1
        while is_needed && is_there && { [ $pending = load ] || [ $seconds -lt 86400 ]; }; do
            if [ $seconds -lt 3600 ]; then pause=1; else pause=10; fi
            sleep $pause
            seconds=$((seconds + pause))
        done
        rm -f -- "$file"
        case $file in */*) rm -f -- "${file%.so}"; rmdir -- "${file%%/*}" ;; esac
        """;

    private static final Path SHELL = Path.of("/bin/sh");
    private static final int POLL_MILLIS = 1;
    private static final Duration ENDING = Duration.ofSeconds(1);

    private final Process shell;
    private final Writer words;
    /** True if the process may have to remove something. */
    private boolean busy;

    private CleanupProcess(Process shell) {
        this.shell = shell;
        this.words = shell.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts the cleanup process, and returns when it is ready. */
    static CleanupProcess in(String directory, LiveProcess process, Deadline deadline)
            throws IOException, AttachFailed {
        if (!Files.isExecutable(SHELL)) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "there is no " + SHELL + " here, which removes the files of"
                            + " an attach if mayfly is killed: run mayfly where there is one");
        }
        try (HeldPath held = process.files().hold(directory)) {
            String socket = "/proc/" + process.pid() + "/root"
                    + AttachListener.socket(process.facts().innermostPid());
            Process shell = new ProcessBuilder(
                            SHELL.toString(),
                            "-c",
                            SCRIPT,
                            "mayfly-cleanup",
                            Integer.toString(process.pid()),
                            Long.toString(process.startTicks()),
                            socket)
                    .directory(held.pathForChildren().toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            CleanupProcess cleanup = new CleanupProcess(shell);
            try {
                InputStream ready = shell.getInputStream();
                while (ready.available() == 0 && shell.isAlive()) {
                    deadline.pause(POLL_MILLIS, SHELL + " did not start");
                }
                return cleanup;
            } catch (IOException | AttachFailed e) {
                cleanup.close();
                throw e;
            }
        }
    }

    private void say(String word) throws IOException {
        words.write(word + "\n");
        words.flush();
    }

    /** Returns the process that removes the file, which may outlive this object. */
    Process shell() {
        return shell;
    }

    @Override
    public void made(String name) throws IOException {
        busy = true;
        say("made " + name);
    }

    @Override
    public void sent() throws IOException {
        say("sent");
    }

    @Override
    public void loading() throws IOException {
        say("loading");
    }

    @Override
    public void gone() throws IOException {
        say("gone");
        busy = false;
    }

    /** Leaves the remaining work to the process. If there is none, the process has ended when this method returns. */
    @Override
    public void close() {
        try {
            words.close();
            if (!busy) {
                shell.waitFor(ENDING);
            }
        } catch (IOException e) {
            shell.destroyForcibly(); // the shell has been killed, or is about to end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
