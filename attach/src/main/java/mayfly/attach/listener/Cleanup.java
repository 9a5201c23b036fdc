package mayfly.attach.listener;

import java.io.IOException;

/** Removes a file of an attach from a directory of the target if Mayfly cannot do so itself. */
interface Cleanup extends AutoCloseable {
    /** Reports that the file is being created, or exists. */
    void made(String name) throws IOException;

    /** Reports that a signal that depends on the file has been sent. */
    void sent() throws IOException;

    /** Reports that the JVM has been asked to load the file, and will open whatever exists at its path. */
    void loading() throws IOException;

    /** Reports that the file was removed, or was never created. */
    void gone() throws IOException;

    /** Leaves the remaining work, if there is any, to the process that does it. */
    @Override
    void close();
}
