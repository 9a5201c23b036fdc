package mayfly.attach.listener;

import java.io.IOException;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.Deadline;

/** The attach listener of a JVM, which loads a library on request. */
public interface JvmListener {
    /**
     * Returns true if the listener runs.
     *
     * @throws IOException if the process has ended
     */
    boolean isListening() throws IOException;

    /**
     * Starts the listener and waits until it listens.
     *
     * @throws AttachFailed if the listener cannot be started, or the deadline expires
     * @throws IOException if the process has ended
     */
    void start(Deadline deadline) throws IOException, AttachFailed;

    /**
     * Has the JVM load a library and call Agent_OnAttach. Returns the result of that function.
     *
     * @throws AttachFailed if the JVM refuses the request, or the deadline expires
     * @throws IOException if the connection fails
     */
    int load(String library, String options, Deadline deadline) throws IOException, AttachFailed;
}
