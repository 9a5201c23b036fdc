package mayfly.linux;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.file.FileAlreadyExistsException;

/**
 * A file that we have made in a directory of another process, below its root directory: openat2(2), fchown(2), unlinkat(2).
 * Nothing that was there is ever written to, and closing removes it.
 */
public final class PlacedFile implements AutoCloseable {
    private final Fd directory;
    private final String name;

    private PlacedFile(Fd directory, String name) {
        this.directory = directory;
        this.name = name;
    }

    /**
     * @param owner the user it shall belong to; our own needs no right
     * @throws FileAlreadyExistsException if something is there
     * @throws IOException if it cannot be made
     */
    static PlacedFile make(Fd root, String directory, String name, byte[] content, int mode, int owner) throws IOException {
        Fd parent = Open.inRoot(root, directory);
        try (Fd file = Open.create(parent, name, mode)) {
            PlacedFile placed = new PlacedFile(parent, name);
            try (OutputStream out = new FileOutputStream(file.path())) {
                out.write(content);
                if (Statx.of(file).uid() != owner) {
                    ErrnoException.check("fchown " + name, Syscall.call(Syscall.FCHOWN, file.number(), owner, -1));
                }
                return placed;
            } catch (IOException e) {
                placed.close();
                throw e;
            }
        } catch (ErrnoException e) {
            parent.close();
            throw e.errno() == Errno.EEXIST ? new FileAlreadyExistsException(directory + "/" + name) : e;
        } catch (IOException e) {
            parent.close();
            throw e;
        }
    }

    /** Lets go of it: it stays. */
    public void leave() {
        directory.close();
    }

    /** Removes it, if it is still there. */
    @Override
    public void close() {
        try (Arena arena = Arena.ofConfined()) {
            Syscall.call(Syscall.UNLINKAT, directory.number(), arena.allocateFrom(name).address(), 0);
        }
        directory.close();
    }
}
