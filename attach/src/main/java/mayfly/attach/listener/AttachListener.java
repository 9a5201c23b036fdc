package mayfly.attach.listener;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Connection;
import mayfly.attach.channel.Deadline;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.linux.PlacedFile;
import mayfly.linux.proc.Permissions;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.HeldPath;

/**
 * The JVM's attach listener: a socket that the JVM opens on SIGQUIT if a marker file exists. See
 * attachListener_posix.cpp in HotSpot. Without the file, the JVM prints a thread dump on the signal; a process without
 * a handler for the signal is killed by it.
 *
 * <p>A signal cannot be revoked, and a JVM whose listener already runs responds with a thread dump. Therefore only the
 * creator of the file sends the signal, and the file remains until the signal has been handled
 * ({@link CleanupProcess}). If another process's file exists, this class waits.
 */
public final class AttachListener implements JvmListener {
    private static final int SIGQUIT = 3;
    private static final int OWNER_ONLY = 0600;
    private static final int POLL_MILLIS = 2;
    private static final String DIRECTORY = "/tmp";
    /** Upper bound on the JVM's answer, which is a few words. */
    private static final int MAX_ANSWER = 64 << 10;
    /**
     * The number of free descriptors that the JVM needs: for the listener's socket, a connection, the library while it
     * is loaded, and those that a host opens while it starts.
     */
    private static final int DESCRIPTORS = 8;
    /** The options with which a JVM installs no handler for SIGQUIT. */
    private static final Set<String> WITHOUT_SIGNALS = Set.of("-Xrs", "-XX:+ReduceSignalUsage");

    /** The kernel's name of a thread that every JVM has. */
    private static final String SERVICE_THREAD = "Service Thread";

    private static final String LAUNCH = "mayfly run --profiler attaches a profiler while a JVM starts";

    private static final Pattern OPEN_SOCKET = Pattern.compile("socket:\\[([0-9]{1,18})]");
    private static final Pattern RETURN_CODE = Pattern.compile("return code: (-?[0-9]{1,9})");

    private final AskedJvm jvm;
    private final int innerPid;

    private AttachListener(AskedJvm jvm, int innerPid) {
        this.jvm = jvm;
        this.innerPid = innerPid;
    }

    /**
     * Opens the attach listener of a process.
     *
     * @throws AttachFailed if an attach would be futile, or would harm the JVM
     * @throws IOException if the process has ended, or its descriptors, limits or status cannot be read
     */
    public static AttachListener of(AskedJvm jvm) throws IOException, AttachFailed {
        long open = jvm.descriptors().size();
        // A listener that cannot accept a connection ends permanently.
        if (jvm.maxOpenFiles() - open < DESCRIPTORS) {
            throw refused("process " + jvm.pid() + " has almost no free descriptors: " + open + " of "
                    + jvm.maxOpenFiles() + " are open");
        }
        return new AttachListener(jvm, jvm.innermostPid());
    }

    private static AttachFailed refused(String message) {
        return new AttachFailed(Status.ATTACH_REFUSED, message);
    }

    /** Returns the path of the socket, as the target sees it. */
    static String socket(int innerPid) {
        return DIRECTORY + "/.java_pid" + innerPid;
    }

    /**
     * Returns true if the listener runs: a socket of its name exists and belongs to the JVM's user. If the JVM was
     * started by root and has changed its user since, the socket belongs to root; then the JVM must also have such a
     * socket open.
     */
    @Override
    public boolean isListening() throws IOException {
        try (HeldPath path = jvm.holdItself(socket(innerPid))) {
            return path.isSocket() && (path.owner() == jvm.status().euid() || path.owner() == 0 && hasSocketOpen());
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Returns true if the JVM has its socket open. The kernel reports the name to which the socket was bound; the JVM
     * renames the file afterwards.
     */
    private boolean hasSocketOpen() throws IOException {
        Set<Long> inodes = new HashSet<>();
        for (String link : jvm.descriptors().values()) {
            Matcher open = OPEN_SOCKET.matcher(link);
            if (open.matches()) {
                inodes.add(Long.parseLong(open.group(1)));
            }
        }
        return jvm.sockets(inodes).containsValue("unix " + socket(innerPid) + ".tmp listening");
    }

    @Override
    public void start(Deadline deadline) throws IOException, AttachFailed {
        requireRoomForSocket();
        while (!isListening()) {
            requireAlive();
            String directory = placeForMarker();
            if (directory.isEmpty()) {
                deadline.pause(
                        POLL_MILLIS,
                        "another process has asked the JVM to listen for attaches, and the JVM has not begun"
                                + " to: it is busy, or suspended; or else " + marker() + " in " + DIRECTORY
                                + " or its working directory is a remnant");
            } else {
                startBy(directory, deadline);
            }
        }
    }

    private String marker() {
        return ".attach_pid" + innerPid;
    }

    /** If the path of the socket is occupied, the JVM cannot create it, and the signal would have no effect. */
    private void requireRoomForSocket() throws IOException, AttachFailed {
        int user = jvm.status().euid();
        try (HeldPath directory = jvm.hold(DIRECTORY)) {
            if (user != 0 && !directory.mayBeWrittenBy(user)) {
                throw refused("the JVM cannot listen for attaches: its user, " + user + ", may not write to its "
                        + DIRECTORY);
            }
        }
        for (String name : List.of(socket(innerPid), socket(innerPid) + ".tmp")) {
            try (HeldPath there = jvm.holdItself(name)) {
                if (there.isDirectory() || user != 0 && there.owner() != user) {
                    throw refused("the JVM cannot listen for attaches: " + name + " is a "
                            + (there.isDirectory() ? "directory" : "file") + " of user id " + there.owner()
                            + ", which the JVM cannot replace");
                }
            } catch (NoSuchFileException e) {
                continue;
            }
        }
    }

    private void requireAlive() throws AttachFailed {
        if (!jvm.isAlive()) {
            throw jvm.ended();
        }
    }

    /**
     * Returns the directory for the marker file: /tmp, or the working directory if another user has created a file of
     * that name in /tmp. Returns an empty string if another client's marker is in one of them. The JVM searches its
     * working directory first.
     */
    private String placeForMarker() throws IOException, AttachFailed {
        String free = "";
        int user = jvm.status().euid();
        for (String directory : List.of(DIRECTORY, jvm.workingDirectory())) {
            try (HeldPath there = jvm.holdItself(directory + "/" + marker())) {
                if (there.owner() == user || there.owner() == 0) {
                    return "";
                }
            } catch (NoSuchFileException e) {
                free = free.isEmpty() ? directory : free;
            }
        }
        if (free.isEmpty()) {
            throw refused("another user has put " + marker() + " into " + DIRECTORY
                    + " and the JVM's working directory: the JVM"
                    + " cannot be asked to listen for attaches");
        }
        return free;
    }

    /**
     * Returns the owner of the marker file. A JVM also accepts a file of root, if its user namespace is that of this
     * process. Then root need not change the owner of a file in a directory that the target has chosen.
     */
    private int ownerOfMarker() throws IOException {
        int user = jvm.status().euid();
        return ourUser() == 0 && jvm.sharesUserNamespace() ? 0 : user;
    }

    private static int ourUser() throws IOException {
        return Permissions.read().euid();
    }

    /** Returns when the listener runs, or when another process has started it. */
    private void startBy(String directory, Deadline deadline) throws IOException, AttachFailed {
        try (Cleanup cleanup = jvm.cleanup(directory, deadline)) {
            int owner = ownerOfMarker();
            if (owner != ourUser() && !directory.equals(DIRECTORY)) {
                throw refused("another user has put " + marker() + " into " + DIRECTORY
                        + ", and root does not create a file of the JVM's user in the JVM's working"
                        + " directory");
            }
            cleanup.made(marker());
            PlacedFile file;
            try {
                file = jvm.place(directory, marker(), OWNER_ONLY, owner);
            } catch (FileAlreadyExistsException e) {
                cleanup.gone();
                return;
            } catch (ErrnoException | AccessDeniedException e) {
                cleanup.gone();
                throw refused("the JVM cannot be asked to listen for attaches: " + directory + ": " + e.getMessage());
            }
            boolean pending = false;
            try {
                if (!isListening()) {
                    // Checked again: the process may have called execve(2), or may have been stopped.
                    requireTakesSignals(jvm);
                    jvm.signal(SIGQUIT);
                    pending = true;
                    cleanup.sent();
                }
                awaitListening(directory, deadline);
                pending = false;
            } finally {
                if (pending) {
                    file.leave();
                } else {
                    file.close();
                    cleanup.gone();
                }
            }
        }
    }

    /**
     * Requires that a process handles the signal that starts its attach listener.
     *
     * @throws AttachFailed if it has no handler for the signal, has not started, or is stopped
     * @throws IOException if it has ended
     */
    public static void requireTakesSignals(AskedJvm jvm) throws IOException, AttachFailed {
        ProcStatus status = jvm.status();
        if (!status.catches(SIGQUIT)) {
            throw withoutHandler(jvm);
        }
        if (isStarting(jvm)) {
            throw new AttachFailed(new Refused(
                    Reason.JVM_STARTING,
                    "the JVM of process " + jvm.pid() + " has not started yet",
                    "try again in a moment; " + LAUNCH));
        }
        if (status.state() == 'T' || status.state() == 't') {
            throw new AttachFailed(
                    Status.RUNTIME_SUSPENDED,
                    "process " + jvm.pid() + " is stopped: it can answer only after it is resumed (SIGCONT)");
        }
    }

    /**
     * Returns true if the JVM has not passed the point at which it removes a socket of its name, as an earlier process
     * may have left: it handles the signal shortly before, and if its listener began then, the JVM would remove the
     * listener's socket. The service thread is started after that point. Of several JVMs in a process, only the first
     * one's start is noticed.
     */
    private static boolean isStarting(AskedJvm jvm) throws IOException {
        return !jvm.threadNames().contains(SERVICE_THREAD);
    }

    /**
     * Returns the failure for a JVM that does not handle the signal. The options can also be in an environment variable
     * or a file, so a JVM without them on its command line may have started.
     */
    private static AttachFailed withoutHandler(AskedJvm jvm) throws IOException {
        String name = "the JVM of process " + jvm.pid();
        return Collections.disjoint(jvm.commandLine(), WITHOUT_SIGNALS)
                ? new AttachFailed(new Refused(
                        Reason.JVM_STARTING,
                        name + " has not started yet, or was started with -Xrs and does not handle SIGQUIT",
                        "try again in a moment; " + LAUNCH))
                : refused(name + " was started with -Xrs and does not handle SIGQUIT, which would start its attach"
                        + " listener");
    }

    private void awaitListening(String directory, Deadline deadline) throws IOException, AttachFailed {
        while (!isListening()) {
            requireAlive();
            deadline.pause(
                    POLL_MILLIS,
                    "the attach listener did not answer: the JVM is busy, or suspended. " + directory
                            + "/" + marker()
                            + " stays until the JVM has handled the signal, which otherwise would make it"
                            + " print a thread dump");
        }
    }

    @Override
    public int load(String library, String options, Deadline deadline) throws IOException, AttachFailed {
        String answer = ask(deadline, "1", "load", library, "true", options);
        Matcher code = RETURN_CODE.matcher(answer);
        if (code.find()) {
            return Integer.parseInt(code.group(1));
        }
        String words = answer.strip().replace('\n', ' ');
        // The JVM may have been killed while it answered.
        if (jvm.isEndNear()) {
            throw jvm.ended();
        }
        throw refused("the JVM did not load the host: " + (words.isEmpty() ? "it closed the connection" : words));
    }

    private String ask(Deadline deadline, String... words) throws IOException, AttachFailed {
        String waiting = "the JVM accepted the request and did not answer in time: it is busy, or suspended";
        try (HeldPath path = jvm.holdItself(socket(innerPid));
                Connection connection = Connection.to(path.path(), deadline, "the JVM did not accept the connection")) {
            byte[] request = (String.join("\0", words) + "\0").getBytes(StandardCharsets.UTF_8);
            connection.write(ByteBuffer.wrap(request), deadline, waiting);
            ByteBuffer answer = ByteBuffer.allocate(MAX_ANSWER);
            while (answer.hasRemaining() && connection.read(answer, deadline, waiting) >= 0) {
                continue; // until it closes the connection
            }
            return new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
        }
    }
}
