package mayfly.attach.client;

import java.io.IOException;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;
import mayfly.attach.channel.HostChannel;
import mayfly.attach.channel.HostRecord;
import mayfly.attach.channel.HostRecords;
import mayfly.attach.listener.JvmListener;
import mayfly.attach.listener.LibraryFile;
import mayfly.profile.RuntimeId;

/**
 * The process of a request, with the hosts in it: at most one in each of its JVMs. The methods are the steps of an
 * attach and of the other requests; {@link HostedProcess} performs them on a live process. Every method throws
 * {@link IOException} if the process has ended, or may not be read.
 */
interface AttachTarget extends AutoCloseable {
    /** Opens the process of a request. */
    interface Opening {
        /** @throws AttachFailed if there is no process with this id, or it may not be inspected */
        AttachTarget open(int pid) throws AttachFailed;
    }

    int pid();

    /** Returns the records of the hosts. */
    HostRecords hosts() throws IOException;

    /** Returns true if the process has one library of a JVM mapped, so that there is no choice. */
    boolean hasOneJvm() throws IOException;

    /**
     * Returns the record of the host to which a request is sent.
     *
     * @param wanted the choice among several; empty if only one JVM has a host
     * @throws AttachFailed if there is no such host, or more than one
     */
    HostRecord host(Optional<RuntimeId.Choice> wanted) throws IOException, AttachFailed;

    /**
     * Returns the record of the host in a JVM.
     *
     * @param library the start address of the JVM's library
     * @throws AttachFailed if there is none
     */
    HostRecord hostIn(long library) throws IOException, AttachFailed;

    /**
     * Connects to a host.
     *
     * @throws AttachFailed if it is gone, or the deadline expires
     */
    HostChannel channel(HostRecord host, Deadline deadline) throws IOException, AttachFailed;

    /**
     * Waits until no library of a host is mapped, except those of the hosts in other JVMs, and then until the host's
     * thread, which leaves the library last, has ended.
     *
     * @param library the start address of the library of the host's JVM
     * @param waiting the message if the deadline expires
     * @throws AttachFailed if the deadline expires
     */
    void awaitNoHost(long library, Deadline deadline, String waiting) throws IOException, AttachFailed;

    /**
     * Chooses the JVM, without any effect on the process.
     *
     * @throws AttachFailed as {@link ChosenJvm#of}
     */
    ChosenJvm choose(Optional<RuntimeId.Choice> wanted) throws IOException, AttachFailed;

    /**
     * Returns true if virtual threads of the JVM already have the lasting cost of JVMTI, whoever has caused it. Returns
     * false if the JVM does not show it.
     */
    boolean hasSlowerVirtualThreads(ChosenJvm chosen) throws IOException;

    /**
     * Returns the JVM's attach listener, which may not run yet.
     *
     * @throws AttachFailed if an attach would be futile, or would harm the JVM
     */
    JvmListener listener() throws IOException, AttachFailed;

    /**
     * Creates the file of the host's library.
     *
     * @throws AttachFailed if no directory of the target can contain it
     */
    LibraryFile library(Deadline deadline) throws IOException, AttachFailed;

    /** Encodes a log entry for the host, see {@link LogEntry#of}. */
    byte[] encoded(Optional<LogEntry> entry);

    /**
     * Converts an I/O error to a failure: "has ended" if the process is ending, {@link Status#NO_PROFILER} if only its
     * host is gone, else the given status with the error's own message.
     */
    AttachFailed failed(Status otherwise, IOException e);

    /**
     * Converts a refusal to "has ended" if the process is ending. A refusal is based on the files of the process. While
     * the kernel tears a process down, its files are incomplete or missing, so a refusal then means that the process
     * has ended.
     */
    AttachFailed failed(AttachFailed e);

    @Override
    void close();
}
