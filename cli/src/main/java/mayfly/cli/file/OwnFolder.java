package mayfly.cli.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A directory that belongs to this user. Root often has the environment of another user (sudo -E, su), who could have
 * planted links that lead root to any file; such a directory is not used.
 */
final class OwnFolder {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final int MAX_LINKS = 40;
    /** S_ISVTX, S_IWGRP and S_IWOTH, see inode(7). */
    private static final int STICKY = 01000;
    private static final int GROUP_WRITES = 020;
    private static final int OTHERS_WRITE = 02;

    private OwnFolder() {
    }

    /**
     * Creates a directory and its missing parents, accessible to this user only.
     *
     * @throws FileSystemException if the directory, or one on its path, belongs to another user who is not root, or
     *         can be replaced by other users
     */
    static void make(Path folder) throws IOException {
        make(folder.toAbsolutePath().normalize(), Files.getAttribute(Path.of("/proc/self"), "unix:uid"), owner(Path.of("/")), 0);
    }

    private static void make(Path folder, Object self, Object root, int links) throws IOException {
        Path at = Path.of("/");
        for (Path name : folder) {
            at = at.resolve(name);
            if (!Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
                makeOne(at);
            }
            Object owner = owner(at);
            if (!owner.equals(self) && !owner.equals(root)) {
                throw new FileSystemException(at.toString(), null, at + " belongs to another user, with the number " + owner
                        + ": XDG_STATE_HOME names a folder of yours");
            }
            if (mayBeChangedByOthers(at)) {
                throw new FileSystemException(at.toString(), null, at + " may be written to by other users: chmod go-w, or"
                        + " XDG_STATE_HOME names a folder of yours");
            }
            if (Files.isSymbolicLink(at)) {
                if (links > MAX_LINKS) {
                    throw new FileSystemException(at.toString(), null, "too many symbolic links");
                }
                Path target = at.resolveSibling(Files.readSymbolicLink(at)).normalize();
                make(target, self, root, links + 1);
                at = target;
            }
        }
    }

    /**
     * Returns true if other users may change the directory. A group with the same number as this user contains only
     * this user; in a sticky directory, such as /tmp, other users may not replace existing files.
     */
    private static boolean mayBeChangedByOthers(Path folder) throws IOException {
        if (!(Files.getAttribute(folder, "unix:mode", LinkOption.NOFOLLOW_LINKS) instanceof Integer mode)
                || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) || (mode & STICKY) != 0) {
            return false;
        }
        Object group = Files.getAttribute(folder, "unix:gid", LinkOption.NOFOLLOW_LINKS);
        return (mode & OTHERS_WRITE) != 0
                || (mode & GROUP_WRITES) != 0 && !group.equals(Files.getAttribute(Path.of("/proc/self"), "unix:gid"));
    }

    private static void makeOne(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, OWNER_ONLY);
        } catch (FileAlreadyExistsException e) {
            // Another command was faster; the owner is checked next.
        }
    }

    private static Object owner(Path path) throws IOException {
        return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
