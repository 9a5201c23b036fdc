package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;
import mayfly.linux.sys.Syscall;
import org.jspecify.annotations.Nullable;

/**
 * A new file in a directory of another process: openat2(2), mkdirat(2), fchown(2), unlinkat(2). Existing files are
 * never modified, and closing removes the file.
 */
public final class PlacedFile implements AutoCloseable {
    static final int AT_REMOVEDIR = 0x200;
    private static final int OWNER_ONLY = 0700;
    private static final int PERMISSIONS = 0777;

    private final Fd directory;
    private final String name;
    /** The parent of the directory that was created for the file; null if none was created. */
    private final @Nullable Fd above;

    private final String own;

    PlacedFile(Fd directory, String name, @Nullable Fd above, String own) {
        this.directory = directory;
        this.name = name;
        this.above = above;
        this.own = own;
    }

    /**
     * Creates a file.
     *
     * @param directory the directory for the file, which is closed with it
     * @param owner the user id that will own the file; an id other than this process's own needs a privilege
     * @throws FileAlreadyExistsException if the name is taken
     * @throws IOException if the file cannot be created
     */
    static PlacedFile make(Fd directory, String name, byte[] content, int mode, int owner) throws IOException {
        PlacedFile placed = new PlacedFile(directory, name, null, "");
        placed.fill(content, mode, owner);
        return placed;
    }

    /**
     * Creates a file in a new directory; only the owner of both may enter the directory.
     *
     * @param above the directory for the new one, which is closed with it
     * @param own the name of the new directory
     * @throws FileAlreadyExistsException if the name is taken
     * @throws IOException if the file or the directory cannot be created
     */
    static PlacedFile makeApart(Fd above, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        Fd made;
        try {
            made = makeDirectory(above, own);
        } catch (IOException e) {
            above.close();
            throw e;
        }
        return fillMade(new PlacedFile(made, name, above, own), content, mode, owner);
    }

    private static Fd makeDirectory(Fd above, String own) throws IOException {
        long made = callWithName(SystemCall.MKDIRAT, above, own, OWNER_ONLY);
        if (made == -Errno.EEXIST) {
            throw new FileAlreadyExistsException(own);
        }
        ErrnoException.check("mkdir " + own, made);
        try {
            return Open.directoryItself(above, own);
        } catch (ErrnoException e) {
            callWithName(SystemCall.UNLINKAT, above, own, AT_REMOVEDIR);
            throw e;
        }
    }

    /**
     * Creates the file in the directory made for it. The owner of the parent directory could have replaced the new
     * directory by another one; nothing is created in, or removed from, that other directory.
     */
    static PlacedFile fillMade(PlacedFile placed, byte[] content, int mode, int owner) throws IOException {
        try {
            placed.requireMade();
        } catch (IOException e) {
            placed.leave();
            throw e;
        }
        placed.fill(content, mode, owner);
        try {
            placed.giveTo(owner);
        } catch (IOException e) {
            placed.close();
            throw e;
        }
        return placed;
    }

    /** Checks the directory: it must belong to this user, be closed to others, and contain only the given names. */
    private void requireMade(String... expected) throws IOException {
        Statx stat = Statx.of(directory);
        if (stat.uid() != Syscall.call(SystemCall.GETEUID, 0)
                || (stat.mode() & PERMISSIONS) != OWNER_ONLY
                || !Arrays.equals(new File(directory.path()).list(), expected)) {
            throw new IOException(own + " was replaced by another directory");
        }
    }

    /** Changes the owner of the directory, after checking that it is still the one created here. */
    private void giveTo(int owner) throws IOException {
        requireMade(name);
        if (Statx.of(directory).uid() != owner) {
            ErrnoException.check("fchown " + own, Syscall.call(SystemCall.FCHOWN, directory.number(), owner, -1));
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
        try (file) {
            write(file, content);
            if (Statx.of(file).uid() != owner) {
                ErrnoException.check("fchown " + name, Syscall.call(SystemCall.FCHOWN, file.number(), owner, -1));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Writes through the descriptor that created the file: the file's mode may keep its owner from opening it for
     * writing.
     */
    private void write(Fd file, byte[] content) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, content);
            for (long done = 0; done < content.length; ) {
                done += ErrnoException.check(
                        "write " + name,
                        Syscall.call(SystemCall.WRITE, file.number(), bytes.address() + done, content.length - done));
            }
        }
    }

    private static long callWithName(SystemCall call, Fd directory, String name, int last) {
        try (Arena arena = Arena.ofConfined()) {
            return Syscall.call(
                    call, directory.number(), arena.allocateFrom(name).address(), last);
        }
    }

    private void removeDirectory() {
        if (above != null) {
            callWithName(SystemCall.UNLINKAT, above, own, AT_REMOVEDIR);
        }
    }

    /** Removes another file, if it exists, from the directory created for this one. */
    public void removeBeside(String other) {
        if (above != null) {
            callWithName(SystemCall.UNLINKAT, directory, other, 0);
        }
    }

    /** Closes the descriptors and leaves the file in place. */
    public void leave() {
        directory.close();
        if (above != null) {
            above.close();
        }
    }

    /** Removes the file, if it still exists, and the directory created for it. */
    @Override
    public void close() {
        callWithName(SystemCall.UNLINKAT, directory, name, 0);
        removeDirectory();
        leave();
    }
}
