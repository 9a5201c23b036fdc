package mayfly.attach.listener;

import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;

/**
 * Removes a file that we make in a directory of the target, should we not come to it: a shell that reads from a pipe
 * of ours what there is, and outlives us. The pipe's end is our word or our death, whatever we died of.
 *
 * <p>A file that a signal depends on stays until the JVM has taken the signal, which may be long after we have given up:
 * when a debugger resumes it, say. That the JVM listens is the one sign of it that can be seen from outside. After a day it
 * goes. If we die between the signal and our word of it, the file has a second left. A library that the JVM was asked to load
 * stays without a limit while a connection to the JVM's attach listener is open or waits to be accepted: that may be our
 * request, which cannot be recalled. See proc_net(5) of the kernel's table of sockets. No command line contains the library's
 * name while a request is pending, also if a cleaner of old files has removed the library: a user who learns the name could
 * put another library in its place. rm(1) is given it afterwards.
 *
 * <p>The target's user owns the library's directory and may replace it with another, or mount another over it. The shell
 * therefore removes only the one file and the host's socket, by their random name, and then the directory if that is empty.
 */
final class CleanupProcess implements AutoCloseable {
    /** The start time tells the process from another of its id: field 22 of its stat, of which 2 may hold anything. */
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
    private static final int POLL_MILLIS = 1;
    private static final Duration ENDING = Duration.ofSeconds(1);

    private final Process shell;
    private final Writer words;
    /** Whether there is something that it may have to remove. */
    private boolean busy;

    private CleanupProcess(Process shell) {
        this.shell = shell;
        this.words = shell.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts it, and returns when it is there. */
    static CleanupProcess in(String directory, LiveProcess process, Deadline deadline) throws IOException, AttachFailed {
        try (HeldPath held = process.hold(directory)) {
            String socket = "/proc/" + process.pid() + "/root" + AttachListener.socket(process);
            Process shell = new ProcessBuilder("/bin/sh", "-c", SCRIPT, "mayfly-caretaker",
                    Integer.toString(process.pid()), Long.toString(process.startTicks()), socket)
                    .directory(held.pathForChildren().toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            CleanupProcess cleanup = new CleanupProcess(shell);
            try {
                InputStream ready = shell.getInputStream();
                while (ready.available() == 0 && shell.isAlive()) {
                    deadline.pause(POLL_MILLIS, "/bin/sh did not start");
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

    /** The process that removes, which may outlive this object. */
    Process shell() {
        return shell;
    }

    /** The file is being made, or is there. */
    void made(String name) throws IOException {
        busy = true;
        say("made " + name);
    }

    /** A signal that the file belongs to has been sent. */
    void sent() throws IOException {
        say("sent");
    }

    /** The JVM has been asked to load the file, and will open whatever is there then. */
    void loading() throws IOException {
        say("loading");
    }

    /** The file is ours no more: it was removed, or was never made. */
    void gone() throws IOException {
        say("gone");
        busy = false;
    }

    /** Leaves the rest to it; if there is none, it has ended when this returns. */
    @Override
    public void close() {
        try {
            words.close();
            if (!busy) {
                shell.waitFor(ENDING);
            }
        } catch (IOException e) {
            shell.destroyForcibly(); // somebody has ended it, or nearly
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
