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
    /** Whether the JVM has nothing more to do with it: also before it is asked. */
    private boolean answered = true;

    private HostLibraryFile(String path, Held held) {
        this.path = path;
        this.held = held;
    }

    static HostLibraryFile of(byte[] library, TargetJvm target, Deadline deadline) throws IOException, AttachFailed {
        if (target.seesOurDescriptors()) {
            Memfd memory = Memfd.of("mayfly-library", library);
            return new HostLibraryFile(memory.path(), new InMemory(memory));
        }
        byte[] random = new byte[8];
        ThreadLocalRandom.current().nextBytes(random);
        String path = IN_FILE + HexFormat.of().formatHex(random) + ".so";
        return new HostLibraryFile(path, Placed.of(path.substring(DIRECTORY.length() + 1), library, target, deadline));
    }

    /** What is to be let go of in the end. */
    private interface Held {
        void loading() throws IOException;

        void close(boolean answered) throws IOException;
    }

    /** Where our process has ended, its number names nobody, or somebody whose files the target's user may read. */
    private record InMemory(Memfd memory) implements Held {
        @Override
        public void loading() {
            // Nobody else can put anything there.
        }

        @Override
        public void close(boolean answered) throws IOException {
            memory.close();
        }
    }

    /** Under which the target opens it. */
    String path() {
        return path;
    }

    /** The JVM is being asked to load it: should we fail or die now, it must not find somebody else's there. */
    void loading() throws IOException {
        answered = false;
        held.loading();
    }

    /** It has answered. */
    void loaded() {
        answered = true;
    }

    @Override
    public void close() throws IOException {
        held.close(answered);
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
        public void loading() throws IOException {
            caretaker.loading();
        }

        @Override
        public void close(boolean answered) throws IOException {
            if (answered) {
                file.close();
                caretaker.gone();
            } else {
                file.leave();
            }
            caretaker.close();
        }
    }
}
