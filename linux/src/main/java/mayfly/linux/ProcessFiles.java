package mayfly.linux;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.HeldPath;

/** The files of a process: those below its root directory, and those that it has open. */
public final class ProcessFiles {
    private final Fd directory;
    private final Fd root;
    private final ProcFacts facts;
    private final ProcessDescriptors descriptors;

    ProcessFiles(Fd directory, Fd root, ProcFacts facts, ProcessDescriptors descriptors) {
        this.directory = directory;
        this.root = root;
        this.facts = facts;
        this.descriptors = descriptors;
    }

    /**
     * Opens a path below the process's root directory; symbolic links cannot lead outside it.
     *
     * @throws IOException if the path cannot be opened
     */
    public HeldPath hold(String path) throws IOException {
        return HeldPath.open(root, path);
    }

    /**
     * Opens a path below the process's root directory; a symbolic link at the path is not followed.
     *
     * @throws IOException if the path cannot be opened
     */
    public HeldPath holdItself(String path) throws IOException {
        return HeldPath.openItself(root, path);
    }

    /**
     * Opens the working directory. After a chroot(2), the path that the kernel reports for it is valid only outside the
     * new root directory.
     *
     * @throws IOException if it cannot be opened
     */
    public HeldPath holdWorkingDirectory() throws IOException {
        return HeldPath.behind(directory.path() + "/cwd");
    }

    /**
     * Opens the file that a descriptor refers to, even if it is outside the process's root directory.
     *
     * @throws IOException if the descriptor is closed or may not be opened
     */
    public HeldPath holdDescriptor(int number) throws IOException {
        return descriptors.hold(number);
    }

    /**
     * Returns the first bytes of the file in memory that a descriptor refers to, see memfd_create(2). Returns no bytes
     * if the descriptor refers to anything else, regardless of {@code link}: a process in its own mount namespace can
     * give any file that name. The read never blocks, and it does not consume the content of a pipe.
     *
     * @param link the expected target of the descriptor, as in {@code ProcessFacts.descriptors}; if the target is
     *         another one, no bytes are returned
     * @param length upper bound on the number of bytes returned
     * @throws IOException if the file cannot be read
     */
    public byte[] readDescriptor(int number, String link, int length) throws IOException {
        return descriptors.read(number, link, length);
    }

    /**
     * Creates a file in a directory below the process's root directory.
     *
     * @param directory the directory's path as the process sees it
     * @param mode the permission bits, see inode(7)
     * @param owner the user id that will own the file; only a privileged process can set an id other than its own
     * @throws AccessDeniedException if the process's user may have chosen the directory, and could not create a file in
     *         it
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     * @throws IOException if the file cannot be created
     */
    public PlacedFile place(String directory, String name, byte[] content, int mode, int owner) throws IOException {
        return PlacedFile.make(writable(directory), name, content, mode, owner);
    }

    /**
     * Creates a file as {@link #place} does, but in a new directory {@code own} that only the owner may enter.
     *
     * @throws IOException if the directory or the file cannot be created
     */
    public PlacedFile placeApart(String directory, String own, String name, byte[] content, int mode, int owner)
            throws IOException {
        return PlacedFile.makeApart(writable(directory), own, name, content, mode, owner);
    }

    private Fd writable(String path) throws IOException {
        return TargetDirectory.open(root, path, facts.status().euid(), mayChooseDirectories());
    }

    /**
     * Returns true if the process's user may have changed its mounts or, in a user namespace of theirs, its root
     * directory (chroot(2)). A process cannot return from a namespace that it has entered, so the result false also
     * holds for the moment at which the root directory was opened.
     */
    private boolean mayChooseDirectories() throws IOException {
        return !facts.sharesNamespace("user") || !ServedFiles.areMountsTrusted(directory.path());
    }
}
