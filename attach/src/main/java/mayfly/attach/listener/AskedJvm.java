package mayfly.attach.listener;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.linux.LiveProcess;
import mayfly.linux.PlacedFile;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.HeldPath;

/**
 * A process whose JVM is asked to load a library: the part of a process that the rules about the attach listener need.
 * All paths are as the process sees them.
 */
public interface AskedJvm {
    static AskedJvm of(LiveProcess process) {
        return new LiveJvm(process);
    }

    int pid();

    /**
     * Returns the process id in the process's own pid namespace.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    int innermostPid() throws IOException;

    /**
     * Returns the process's status, from /proc/PID/status.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    ProcStatus status() throws IOException;

    /**
     * Returns the names of its threads in the kernel: untrusted text.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    List<String> threadNames() throws IOException;

    /**
     * Returns the command line, starting with the program name: untrusted text.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    List<String> commandLine() throws IOException;

    /**
     * Returns the open descriptors: their numbers and targets.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    Map<Integer, String> descriptors() throws IOException;

    /**
     * Returns the soft limit of open files.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    long maxOpenFiles() throws IOException;

    /**
     * Returns a description of each socket with one of the inodes, see {@link mayfly.process.ProcessFacts#sockets}.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    Map<Long, String> sockets(Set<Long> inodes) throws IOException;

    /**
     * Returns the lines of the process's mounts.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    List<String> mounts() throws IOException;

    /**
     * Returns the working directory.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    String workingDirectory() throws IOException;

    /**
     * Returns true if the process is in this process's user namespace.
     *
     * @throws IOException if the process has ended, or may not be read
     */
    boolean sharesUserNamespace() throws IOException;

    /**
     * Opens a path; symbolic links are followed.
     *
     * @throws java.nio.file.NoSuchFileException if there is no such file
     * @throws IOException if the path cannot be opened
     */
    HeldPath hold(String path) throws IOException;

    /**
     * Opens a path; a symbolic link at the path is not followed.
     *
     * @throws java.nio.file.NoSuchFileException if there is no such file
     * @throws IOException if the path cannot be opened
     */
    HeldPath holdItself(String path) throws IOException;

    /**
     * Creates an empty file, see {@link mayfly.linux.ProcessFiles#place}.
     *
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     * @throws java.nio.file.AccessDeniedException as {@link mayfly.linux.ProcessFiles#place}
     * @throws IOException if the file cannot be created
     */
    PlacedFile place(String directory, String name, int mode, int owner) throws IOException;

    /**
     * Creates a file in a new directory {@code own}, see {@link mayfly.linux.ProcessFiles#placeApart}.
     *
     * @throws IOException if the directory or the file cannot be created
     */
    PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException;

    /**
     * Sends a signal.
     *
     * @throws IOException if the signal cannot be sent
     */
    void signal(int signal) throws IOException;

    boolean isAlive();

    /** Returns true if the process has ended, or is about to end. */
    boolean isEndNear();

    /** Returns the failure of a request for this process after its end. */
    AttachFailed ended();

    /**
     * Starts the process that removes a file of this attach if Mayfly cannot.
     *
     * @param directory the directory of the file
     * @throws AttachFailed if this machine has no shell, or the deadline expires
     * @throws IOException if the directory cannot be opened, or the process cannot be started
     */
    Cleanup cleanup(String directory, Deadline deadline) throws IOException, AttachFailed;
}
