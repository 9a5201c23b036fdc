package mayfly.cli.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A file for a file system without unnamed files. It appears only when it is complete. The contents are held in memory
 * until then, so nothing is left behind if the process is killed. If they exceed 16 MiB, the file appears earlier.
 */
final class LateFile extends OutputStream {
    private static final int LIMIT = 16 << 20;

    private final Path path;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream(1 << 16);
    private @Nullable OutputStream file;

    LateFile(Path path) {
        this.path = path;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (file == null && held.size() + length > LIMIT) {
            appear();
        }
        OutputStream to = file;
        if (to == null) {
            held.write(bytes, offset, length);
        } else {
            to.write(bytes, offset, length);
        }
    }

    private OutputStream appear() throws IOException {
        OutputStream to = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        file = to;
        held.writeTo(to);
        held.reset();
        return to;
    }

    @Override
    public void close() throws IOException {
        OutputStream to = file;
        (to == null ? appear() : to).close();
    }
}
