package mayfly.attach;

import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import mayfly.linux.Memfd;
import mayfly.linux.PlacedFile;

/**
 * The host's library while a target loads it: from our memory where the target's user can read that, else from a new file of
 * that user, which is there only until it has been loaded.
 */
final class HostLibraryFile {
    /** How a target's map names it. */
    static final String IN_MEMORY = "/memfd:mayfly-library";
    static final String IN_FILE = "/tmp/.mayfly-";
    private static final int OWNER_READS = 0500;

    private HostLibraryFile() {
    }

    /** What Agent_OnAttach returned. */
    static int load(byte[] library, TargetJvm target, AttachListener listener, String options, Deadline deadline)
            throws IOException, AttachFailed {
        if (target.seesOurDescriptors()) {
            try (Memfd memory = Memfd.of("mayfly-library", library)) {
                return listener.load(memory.path(), options, deadline);
            }
        }
        byte[] random = new byte[8];
        ThreadLocalRandom.current().nextBytes(random);
        String path = IN_FILE + HexFormat.of().formatHex(random) + ".so";
        PlacedFile file = target.process().place("/tmp", path.substring("/tmp/".length()), library, OWNER_READS,
                target.process().status().euid());
        try {
            return listener.load(path, options, deadline);
        } finally {
            file.close();
        }
    }
}
