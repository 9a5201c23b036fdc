package mayfly.profilers.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;

/**
 * Appends to the file in the command a line with its last callback and a line with its finalization, each with the time
 * in ms, and requests its detach. The JVM finalizes an object when nothing refers to it any more, so that its owner has
 * released it; and it unloads no class before the last of its objects is finalized.
 */
public final class FinalizedProfiler implements Profiler {
    private ProfilerInfo info;
    private volatile Path file;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
    }

    @Override
    public byte[] command(byte[] command) {
        file = Path.of(new String(command, StandardCharsets.UTF_8));
        append("requested");
        info.requestDetach(Duration.ZERO);
        return new byte[0];
    }

    @Override
    public void profilerDetachSucceeded() {
        append("detached");
    }

    @Override
    @SuppressWarnings({"deprecation", "removal", "Finalize"})
    protected void finalize() {
        append("released");
    }

    private void append(String what) {
        try {
            Files.writeString(
                    file,
                    what + " " + System.currentTimeMillis() + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
