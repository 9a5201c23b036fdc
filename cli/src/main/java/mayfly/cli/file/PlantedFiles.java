package mayfly.cli.file;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Files that another user may have created at the path of an output, to obtain the output or to redirect it. In a
 * directory writable by all users, such as /tmp, this can be a link or a pipe with the name of the output, or a link
 * with the name of a directory of the given path. The kernel's fs.protected_symlinks and fs.protected_fifos do not
 * cover this. Under sudo(8), the files of the user who runs it are not planted.
 */
final class PlantedFiles {
    /** S_ISVTX and S_IWOTH, see inode(7). */
    private static final int STICKY_FOR_ALL = 01002;

    private PlantedFiles() {}

    /**
     * Checks the path of an output.
     *
     * @param user the owner of the output
     * @throws FileSystemException if another user may have created a file at the path
     * @throws IOException if the path cannot be examined
     */
    static void requireNone(Path file, Owner user) throws IOException {
        for (Path at = file; at != null; at = at.getParent()) {
            Path folder = at.getParent();
            boolean isLinkOrOutput =
                    at.equals(file) ? Files.exists(at, LinkOption.NOFOLLOW_LINKS) : Files.isSymbolicLink(at);
            if (folder != null && isLinkOrOutput && isStickyForAll(folder)) {
                requireOwn(at, at.equals(file) ? "it" : "the link " + at, folder, user);
            }
        }
    }

    private static boolean isStickyForAll(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:mode") instanceof Integer mode
                && (mode & STICKY_FOR_ALL) == STICKY_FOR_ALL;
    }

    private static void requireOwn(Path file, String words, Path folder, Owner user) throws IOException {
        Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(user.user())
                && !owner.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                && !owner.equals(Files.getAttribute(folder, "unix:uid"))) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    words + " belongs to another user, with the user id " + owner + ", and all users may write to "
                            + folder);
        }
    }
}
