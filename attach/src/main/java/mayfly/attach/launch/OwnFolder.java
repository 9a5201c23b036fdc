package mayfly.attach.launch;

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
 * A directory that belongs to this user. Root often has the environment of another user (sudo -E, su), which may name a
 * directory in which that user has planted links to arbitrary files. A directory of another user is not used.
 */
public final class OwnFolder {
    private static final int MAX_LINKS = 40;
    /** S_ISVTX, S_IWGRP and S_IWOTH, see inode(7). */
    private static final int STICKY = 01000;

    private static final int GROUP_WRITES = 020;
    private static final int OTHERS_WRITE = 02;

    private final FileAttribute<Set<PosixFilePermission>> permissions;
    private final String advice;
    private final Object self;
    private final Object root;

    private OwnFolder(String permissions, String advice) throws IOException {
        this.permissions = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
        this.advice = advice;
        self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        root = owner(Path.of("/"));
    }

    /**
     * Creates a directory and its missing parents, accessible to this user only.
     *
     * @param advice the end of the sentence that reports a directory which is not used
     * @throws FileSystemException if the directory, or one on its path, belongs to another user who is not root, or
     *         can be replaced by other users
     * @throws IOException if it cannot be created or checked
     */
    public static void make(Path folder, String advice) throws IOException {
        new OwnFolder("rwx------", advice).make(folder.toAbsolutePath().normalize(), 0);
    }

    /**
     * Creates a directory and its missing parents as {@link #make} does, but accessible to all users.
     *
     * @throws FileSystemException as {@link #make}
     * @throws IOException as {@link #make}
     */
    public static void makeForAll(Path folder, String advice) throws IOException {
        new OwnFolder("rwxr-xr-x", advice).make(folder.toAbsolutePath().normalize(), 0);
    }

    private void make(Path folder, int links) throws IOException {
        Path at = Path.of("/");
        for (Path name : folder) {
            at = at.resolve(name);
            if (!Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
                makeOne(at);
            }
            Object owner = owner(at);
            if (!owner.equals(self) && !owner.equals(root)) {
                throw new FileSystemException(
                        at.toString(), null, at + " belongs to another user (id " + owner + "): " + advice);
            }
            if (mayBeChangedByOthers(at, self)) {
                throw new FileSystemException(
                        at.toString(), null, at + " may be written to by other users: chmod go-w, or " + advice);
            }
            if (Files.isSymbolicLink(at)) {
                if (links > MAX_LINKS) {
                    throw new FileSystemException(at.toString(), null, "too many symbolic links");
                }
                Path target = at.resolveSibling(Files.readSymbolicLink(at)).normalize();
                make(target, links + 1);
                at = target;
            }
        }
    }

    /**
     * Returns true if other users may change the directory. A group with the same number as the user contains only that
     * user; in a sticky directory, such as /tmp, other users may not replace existing files.
     */
    static boolean mayBeChangedByOthers(Path folder, Object user) throws IOException {
        if (!(Files.getAttribute(folder, "unix:mode", LinkOption.NOFOLLOW_LINKS) instanceof Integer mode)
                || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                || (mode & STICKY) != 0) {
            return false;
        }
        Object group = Files.getAttribute(folder, "unix:gid", LinkOption.NOFOLLOW_LINKS);
        return (mode & OTHERS_WRITE) != 0 || (mode & GROUP_WRITES) != 0 && !group.equals(user);
    }

    private void makeOne(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, permissions);
        } catch (FileAlreadyExistsException e) {
            // Another command was faster; the owner is checked next.
        }
    }

    private static Object owner(Path path) throws IOException {
        return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
