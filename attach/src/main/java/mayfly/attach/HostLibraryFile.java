package mayfly.attach;

import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import mayfly.api.Status;
import mayfly.linux.Memfd;
import mayfly.linux.PlacedFile;

/**
 * The host's library while a target loads it: from our memory where the target's user can read that, else from a new file of
 * that user, which is there only until it has been loaded.
 */
final class HostLibraryFile implements AutoCloseable {
    /** How a target's map names it. */
    static final String IN_MEMORY = "/memfd:mayfly-library";
    static final String IN_FILE = "/tmp/.mayfly-";
    private static final String DIRECTORY = "/tmp";
    private static final int OWNER_READS = 0500;

    private final String path;
    private final Held held;

    private HostLibraryFile(String path, Held held) {
        this.path = path;
        this.held = held;
    }

    static HostLibraryFile of(byte[] library, TargetJvm target, Deadline deadline) throws IOException, AttachFailed {
        if (target.seesOurDescriptors()) {
            Memfd memory = Memfd.of("mayfly-library", library);
            return new HostLibraryFile(memory.path(), memory::close);
        }
        byte[] random = new byte[8];
        ThreadLocalRandom.current().nextBytes(random);
        String path = IN_FILE + HexFormat.of().formatHex(random) + ".so";
        return new HostLibraryFile(path, Placed.of(path.substring(DIRECTORY.length() + 1), library, target, deadline));
    }

    /** What is to be let go of in the end. */
    private interface Held {
        void close() throws IOException;
    }

    /** Under which the target opens it. */
    String path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        held.close();
    }

    /** A file, and who removes it should we die. */
    private record Placed(PlacedFile file, Caretaker caretaker) implements Held {

        static Placed of(String name, byte[] library, TargetJvm target, Deadline deadline)
                throws IOException, AttachFailed {
            Caretaker caretaker = Caretaker.in(DIRECTORY, target.process(), deadline);
            try {
                caretaker.made(name);
                return new Placed(target.process().place(DIRECTORY, name, library, OWNER_READS,
                        target.process().status().euid()), caretaker);
            } catch (IOException e) {
                caretaker.gone();
                caretaker.close();
                throw new AttachFailed(Status.ATTACH_REFUSED, "the host's library cannot be put into the target's "
                        + DIRECTORY + ": " + e.getMessage());
            }
        }

        @Override
        public void close() throws IOException {
            file.close();
            caretaker.gone();
            caretaker.close();
        }
    }
}
