package mayfly.attach.listener;

import java.io.IOException;

/**
 * A library in a directory of a target while the target's JVM loads it. Closing removes it, unless the JVM was
 * requested to load it and has not answered.
 */
public interface LibraryFile extends AutoCloseable {
    /** Returns the path by which the target opens the file. */
    String path();

    /**
     * Records that the JVM is requested to load the file. From then on the file must remain until the JVM has loaded
     * it, even if this process ends.
     *
     * @throws IOException if the request cannot be recorded
     */
    void loading() throws IOException;

    /** Records that the JVM has answered. */
    void loaded();

    @Override
    void close() throws IOException;
}
