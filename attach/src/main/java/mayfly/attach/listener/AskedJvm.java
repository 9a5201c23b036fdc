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
 * All paths are as the process sees them. Every method throws {@link IOException} if the process has ended, or may not
 * be read.
 */
public interface AskedJvm {
    static AskedJvm of(LiveProcess process) {
        return new LiveJvm(process);
    }

    int pid();

    /** Returns the process id in the process's own pid namespace. */
    int innermostPid() throws IOException;

    ProcStatus status() throws IOException;

    List<String> commandLine() throws IOException;

    /** Returns the open descriptors: their numbers and targets. */
    Map<Integer, String> descriptors() throws IOException;

    long maxOpenFiles() throws IOException;

    /** Returns a description of each socket with one of the inodes, see {@link LiveProcess#sockets}. */
    Map<Long, String> sockets(Set<Long> inodes) throws IOException;

    List<String> mounts() throws IOException;

    String workingDirectory() throws IOException;

    /** Returns true if the process is in this process's user namespace. */
    boolean sharesUserNamespace() throws IOException;

    /** Opens a path; symbolic links are followed. */
    HeldPath hold(String path) throws IOException;

    /** Opens a path; a symbolic link at the path is not followed. */
    HeldPath holdItself(String path) throws IOException;

    /** Creates an empty file, see {@link LiveProcess#place}. */
    PlacedFile place(String directory, String name, int mode, int owner) throws IOException;

    /** Creates a file in a new directory {@code own}, see {@link LiveProcess#placeApart}. */
    PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException;

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
     * @throws AttachFailed if it cannot be started before the deadline
     */
    Cleanup cleanup(String directory, Deadline deadline) throws IOException, AttachFailed;
}
