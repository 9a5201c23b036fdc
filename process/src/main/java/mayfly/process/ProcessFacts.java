package mayfly.process;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The properties of a process as a whole, as reported by the kernel. They are read again at each call. */
public interface ProcessFacts {

    /**
     * Returns the command line, starting with the program name; empty if the process has erased it. Untrusted text.
     *
     * @throws IOException if it cannot be read
     */
    List<String> commandLine() throws IOException;

    /**
     * Returns the path of the executable as the kernel prints it, which may end in {@code (deleted)}.
     *
     * @throws IOException if it cannot be read
     */
    String executable() throws IOException;

    /**
     * Returns the working directory as the process sees it.
     *
     * @throws IOException if it cannot be read
     */
    String workingDirectory() throws IOException;

    /**
     * Converts a path that the kernel printed to this process into the path that the target sees below its own root
     * directory (chroot(2)).
     *
     * @throws IOException if the root directory cannot be read
     */
    String asItSees(String path) throws IOException;

    /**
     * Returns true if the process is in the same namespace as this process; for kinds such as {@code mnt} or
     * {@code pid}, see namespaces(7).
     *
     * @throws IOException if the namespace cannot be read
     */
    boolean sharesNamespace(String kind) throws IOException;

    /**
     * Returns the process id in the process's own pid namespace.
     *
     * @throws IOException if its status cannot be read
     */
    int innermostPid() throws IOException;

    /**
     * Returns true if a debugger or another tracer is attached to the main thread.
     *
     * @throws IOException if its status cannot be read
     */
    boolean isTraced() throws IOException;

    /**
     * Returns the open descriptors: their numbers and targets, see proc_pid_fd(5). Descriptors closed during the call
     * are left out.
     *
     * @throws IOException if they cannot be listed
     */
    Map<Integer, String> descriptors() throws IOException;

    /**
     * Returns sockets of the process's network namespace, including those of other processes.
     *
     * @param inodes the inodes to look for; only sockets of the families UNIX and INET are found
     * @return a description by inode, such as {@code unix /tmp/x listening}: untrusted text
     * @throws IOException if the tables cannot be read
     */
    Map<Long, String> sockets(Set<Long> inodes) throws IOException;

    /**
     * Returns the soft limit of open files; {@link Long#MAX_VALUE} if the kernel reports none.
     *
     * @throws IOException if the limits cannot be read
     */
    long maxOpenFiles() throws IOException;

    /**
     * Returns the lines of the process's {@code mounts}, see proc_pid_mounts(5).
     *
     * @throws IOException if they cannot be read
     */
    List<String> mounts() throws IOException;

    /**
     * Returns the names (comm) of the child processes, zombies included: untrusted text.
     *
     * @throws IOException if they cannot be listed
     */
    List<String> children() throws IOException;

    /**
     * Returns the CPU time of all threads so far, including ended ones.
     *
     * @throws IOException if it cannot be read
     */
    CpuTime cpuTime() throws IOException;
}
