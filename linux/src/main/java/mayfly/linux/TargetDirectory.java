package mayfly.linux;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;

/**
 * Opens a directory of another process in which a file is to be created.
 *
 * <p>A user who is the administrator of a user namespace can bind any directory over {@code /tmp}, or make another
 * directory the root directory. If Mayfly runs as root, it would then create a file where that user may not. If the
 * user may have chosen the directory, it must therefore be one in which they can create the file themselves. See
 * user_namespaces(7).
 */
final class TargetDirectory {
    /** S_IWOTH, see inode(7). */
    private static final int OTHERS_WRITE = 02;

    private TargetDirectory() {}

    /**
     * Opens a directory below a root directory (O_PATH).
     *
     * @param user the process's user
     * @param mayBeChosen true if that user may have chosen which directory has this path
     * @throws AccessDeniedException if that user could not create a file there
     * @throws IOException if the directory cannot be opened
     */
    static Fd open(Fd root, String path, int user, boolean mayBeChosen) throws IOException {
        Fd directory = Open.inRoot(root, path);
        try {
            if (mayBeChosen) {
                requireWritable(Statx.of(directory), user);
            }
            return directory;
        } catch (IOException e) {
            directory.close();
            throw e;
        }
    }

    private static void requireWritable(Statx directory, int user) throws AccessDeniedException {
        if (directory.uid() != user && (directory.mode() & OTHERS_WRITE) == 0) {
            throw new AccessDeniedException(
                    null,
                    null,
                    "it belongs to user id " + directory.uid() + ", and the process's user, " + user
                            + ", may have mounted it there");
        }
    }
}
