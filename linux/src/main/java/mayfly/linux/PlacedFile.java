package mayfly.linux;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.nio.file.FileAlreadyExistsException;
import org.jspecify.annotations.Nullable;

/**
 * A new file in a directory of another process, below its root directory: openat2(2), mkdirat(2), fchown(2), unlinkat(2).
 * Existing files are never written to, and closing removes the file.
 */
public final class PlacedFile implements AutoCloseable {
    static final int AT_REMOVEDIR = 0x200;
    private static final int OWNER_ONLY = 0700;
    private static final int PERMISSIONS = 0777;

    private final Fd directory;
    private final String name;
    /** The directory that was made for the file, if there is one, by its name in the directory above it. */
    private final @Nullable Fd above;
    private final String own;

    private PlacedFile(Fd directory, String name, @Nullable Fd above, String own) {
        this.directory = directory;
        this.name = name;
        this.above = above;
        this.own = own;
    }

    /**
     * Makes a file.
     *
     * @param owner the user it shall belong to; our own needs no right
     * @throws FileAlreadyExistsException if something is there
     * @throws IOException if it cannot be made
     */
    static PlacedFile make(Fd root, String directory, String name, byte[] content, int mode, int owner) throws IOException {
        PlacedFile placed = new PlacedFile(Open.inRoot(root, directory), name, null, "");
        placed.fill(content, mode, owner);
        return placed;
    }

    /**
     * Makes a file in a new directory that only the owner of both may enter.
     *
     * @param own the name of the new directory
     * @throws FileAlreadyExistsException if something is there
     * @throws IOException if they cannot be made
     */
    static PlacedFile makeApart(Fd root, String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        Fd above = Open.inRoot(root, directory);
        Fd made = null;
        try {
            made = makeDirectory(above, own);
            PlacedFile placed = new PlacedFile(made, name, above, own);
            placed.fill(content, mode, owner);
            try {
                placed.giveTo(owner);
            } catch (IOException e) {
                placed.close();
                throw e;
            }
            return placed;
        } catch (IOException e) {
            if (made == null) {
                above.close();
            }
            throw e;
        }
    }

    private static Fd makeDirectory(Fd above, String own) throws IOException {
        long made = callWithName(Syscall.MKDIRAT, above, own, OWNER_ONLY);
        if (made == -Errno.EEXIST) {
            throw new FileAlreadyExistsException(own);
        }
        ErrnoException.check("mkdir " + own, made);
        return Open.directoryItself(above, own);
    }

    /** The directory too. The owner of the directory above could have put another one into its place: that is not given away. */
    private void giveTo(int owner) throws IOException {
        Statx stat = Statx.of(directory);
        String[] names = new File(directory.path()).list();
        if (stat.uid() != Syscall.call(Syscall.GETEUID, 0) || (stat.mode() & PERMISSIONS) != OWNER_ONLY
                || names == null || names.length != 1 || !names[0].equals(name)) {
            throw new IOException(own + " was replaced by another directory");
        }
        if (stat.uid() != owner) {
            ErrnoException.check("fchown " + own, Syscall.call(Syscall.FCHOWN, directory.number(), owner, -1));
        }
    }

    private void fill(byte[] content, int mode, int owner) throws IOException {
        Fd file;
        try {
            file = Open.create(directory, name, mode);
        } catch (ErrnoException e) {
            removeDirectory();
            leave();
            throw e.errno() == Errno.EEXIST ? new FileAlreadyExistsException(name) : e;
        }
        try (file; OutputStream out = new FileOutputStream(file.path())) {
            out.write(content);
            if (Statx.of(file).uid() != owner) {
                ErrnoException.check("fchown " + name, Syscall.call(Syscall.FCHOWN, file.number(), owner, -1));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private static long callWithName(int call, Fd directory, String name, int last) {
        try (Arena arena = Arena.ofConfined()) {
            return Syscall.call(call, directory.number(), arena.allocateFrom(name).address(), last);
        }
    }

    private void removeDirectory() {
        if (above != null) {
            callWithName(Syscall.UNLINKAT, above, own, AT_REMOVEDIR);
        }
    }

    /** Lets go of it: it stays. */
    public void leave() {
        directory.close();
        if (above != null) {
            above.close();
        }
    }

    /** Removes it, if it is still there, and the directory that was made for it. */
    @Override
    public void close() {
        callWithName(Syscall.UNLINKAT, directory, name, 0);
        removeDirectory();
        leave();
    }
}
