package mayfly.cli.file;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.NewFile;
import mayfly.linux.sys.RandomBytes;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears as a whole or not at all. It has no name while it is written, or a temporary name in the same
 * directory if the file system does not support unnamed files. It is removed if writing does not complete. An existing
 * file is replaced if the user gave its name, and never if the name was generated.
 */
public final class OutputFile implements AutoCloseable {
    /** S_IFMT, S_IFIFO and S_IFSOCK, see inode(7). */
    private static final int TYPE = 0170000;

    private static final int FIFO = 0010000;
    private static final int SOCKET = 0140000;
    private static final int BUFFER = 1 << 16;

    /** Writes the contents. */
    @FunctionalInterface
    public interface Contents {
        /**
         * Writes the contents to a stream, and does not close the stream.
         *
         * @throws IOException if they cannot be written
         */
        void writeTo(OutputStream out) throws IOException;
    }

    private final Path wanted;
    private final boolean mayReplace;
    /** The stream to write to; null if the output is a file. */
    private final @Nullable Terminal stream;

    private final List<Path> parts = new ArrayList<>();
    /** The owner of the files; null until it is looked up. */
    private @Nullable Owner owner;

    private OutputFile(Path wanted, boolean mayReplace) {
        this(wanted, mayReplace, null);
    }

    private OutputFile(Path wanted, boolean mayReplace, @Nullable Terminal stream) {
        this.wanted = wanted;
        this.mayReplace = mayReplace;
        this.stream = stream;
    }

    /** Returns true if a name on the command line stands for standard output: {@code -}. */
    public static boolean isStandardOutput(@Nullable Path path) {
        return path != null && path.toString().equals("-");
    }

    /** Returns the name that messages use for a name on the command line. */
    public static String name(Path path) {
        return isStandardOutput(path) ? "standard output" : path.toString();
    }

    /**
     * Returns the output for a name given by the user, or standard output.
     *
     * @throws CommandFailed if it cannot be written
     */
    public static OutputFile named(Path path, Terminal terminal) throws CommandFailed {
        return isStandardOutput(path) ? new OutputFile(path, true, terminal) : named(path);
    }

    /**
     * Returns the output for a name given by the user. An existing file is replaced, even through a symbolic link.
     *
     * @throws CommandFailed if it cannot be written
     */
    public static OutputFile named(Path path) throws CommandFailed {
        try {
            return named(path, Owner.ofThisProcess());
        } catch (IOException e) {
            throw failed(path, e);
        }
    }

    static OutputFile named(Path path, Owner owner) throws CommandFailed {
        Path target = tidy(path.toAbsolutePath());
        try {
            if (isThere(target) && Files.isDirectory(target)) {
                throw Message.OUTPUT.with(path, "it is a directory");
            }
            PlantedFiles.requireNone(target, owner);
            // A link to a pipe, as /dev/stdout may be, has a target that is not a path.
            if (Files.isSymbolicLink(target) && Files.isRegularFile(target)) {
                target = target.toRealPath();
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
        OutputFile file = new OutputFile(target, true);
        file.owner = owner;
        return file;
    }

    /**
     * Removes {@code .} and {@code ..}. Returns the path unchanged if the result would be in another directory,
     * because a symbolic link precedes {@code ..}.
     */
    private static Path tidy(Path path) {
        Path normal = path.normalize();
        Path from = path.getParent();
        Path to = normal.getParent();
        try {
            return from != null && to != null && Files.isSameFile(from, to) ? normal : path;
        } catch (IOException e) {
            return path;
        }
    }

    /**
     * Returns true if the file exists. Also rejects impossible names, such as one that is too long, before the
     * recording instead of after it.
     */
    private static boolean isThere(Path path) throws IOException {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns the output for a generated name; if the name is taken, a number is added. */
    public static OutputFile withGeneratedName(String fileName) {
        return new OutputFile(Path.of(fileName).toAbsolutePath(), false);
    }

    /**
     * Returns a name for a temporary file. {@link #close} removes the file unless it was {@linkplain #commit
     * committed}.
     */
    Path part(String purpose) {
        Path part = directory().resolve("." + wanted.getFileName() + "." + random() + "." + purpose + ".part");
        synchronized (parts) {
            parts.add(part);
        }
        return part;
    }

    /** Returns 16 hexadecimal digits. SecureRandom takes longer: it looks for the providers of the JDK. */
    private static String random() {
        try {
            return RandomBytes.hex(Long.BYTES);
        } catch (ErrnoException e) {
            throw new IllegalStateException(e); // a filter that forbids getrandom(2)
        }
    }

    /** Creates a temporary file with a name, readable by its owner alone. */
    NewFile create(Path part) throws IOException {
        return taken(NewFile.named(part));
    }

    /**
     * Returns the failure to create a temporary file. For a device or a pipe, the message names the directory for
     * temporary files, because the user has not named it.
     */
    CommandFailed uncreated(Path part, IOException e) {
        return isRegular()
                ? failed(wanted, e)
                : Message.OUTPUT.with(
                        name(wanted),
                        "its temporary file cannot be created in " + directory() + ": " + reason(part, e));
    }

    /** Creates a temporary file that leaves nothing behind; null if the file system does not support it. */
    @Nullable
    NewFile nameless() {
        try {
            return taken(NewFile.unnamed(directory()));
        } catch (IOException e) {
            return null; // the caller writes a named file; if that fails too, the reason of that failure is reported
        }
    }

    private NewFile taken(NewFile file) throws IOException {
        try {
            owner().take(file);
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private Owner owner() throws IOException {
        Owner chosen = owner;
        return chosen == null ? Owner.ofThisProcess() : chosen;
    }

    /** Returns the directory of the output file; for a device or a pipe, the directory for temporary files. */
    public Path directory() {
        Path parent = wanted.getParent();
        return parent != null && isRegular() ? parent : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Writes the file and returns its path. The files of root are for their owner alone, see {@link Owner}.
     *
     * @throws CommandFailed if the file cannot be written
     */
    public Path write(Contents contents) throws CommandFailed {
        return write(contents, false);
    }

    /**
     * Writes a file that only its owner may read (mode 0600), and returns its path.
     *
     * @throws CommandFailed if the file cannot be written
     */
    public Path writeForOwner(Contents contents) throws CommandFailed {
        return write(contents, true);
    }

    private Path write(Contents contents, boolean forOwner) throws CommandFailed {
        if (!isRegular()) {
            return writeThrough(contents);
        }
        try (NewFile nameless = nameless()) {
            if (nameless == null) {
                return forOwner || owner().isAlone() ? writeNamedForOwner(contents) : writeNamed(contents);
            }
            if (forOwner) {
                Owner.closeToOthers(nameless);
            }
            return writeNameless(nameless, contents);
        } catch (IOException e) {
            throw failed(wanted, e);
        }
    }

    private Path writeNamedForOwner(Contents contents) throws IOException, CommandFailed {
        Path part = part("new");
        try (NewFile created = create(part);
                OutputStream out = Files.newOutputStream(created.path(), StandardOpenOption.WRITE)) {
            contents.writeTo(out);
        }
        return commit(part);
    }

    private Path writeNamed(Contents contents) throws IOException, CommandFailed {
        Path part = part("new");
        try (var out = new LateFile(part)) {
            contents.writeTo(out);
        }
        return commit(part);
    }

    private Path writeNameless(NewFile nameless, Contents contents) throws IOException, CommandFailed {
        try (OutputStream out = Files.newOutputStream(nameless.path(), StandardOpenOption.WRITE)) {
            contents.writeTo(out);
        }
        if (!mayReplace) {
            return commitUnderFreeName(nameless::link);
        }
        try {
            nameless.link(wanted);
            return wanted;
        } catch (FileAlreadyExistsException e) {
            // Replacing a name requires rename(2) from another name, which the complete file has for a moment.
            Path part = part("new");
            nameless.link(part);
            return commit(part);
        }
    }

    /** Gives an unnamed file its final name and returns its path. */
    Path commit(NewFile nameless) throws IOException {
        return commitUnderFreeName(nameless::link);
    }

    /**
     * Gives a finished temporary file its final name and returns its path.
     *
     * @throws CommandFailed if the name cannot be given
     */
    Path commit(Path part) throws CommandFailed {
        try {
            if (mayReplace) {
                Files.move(part, wanted, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                return wanted;
            }
            return commitUnderFreeName(name -> link(name, part));
        } catch (IOException e) {
            throw failed(wanted, e);
        }
    }

    /** Gives a file a name; fails if another file has that name. */
    @FunctionalInterface
    private interface Naming {
        void give(Path name) throws IOException;
    }

    private Path commitUnderFreeName(Naming naming) throws IOException {
        for (int i = 1; i < 1000; i++) {
            Path name = i == 1
                    ? wanted
                    : wanted.resolveSibling(numbered(wanted.getFileName().toString(), i));
            try {
                naming.give(name);
                return name;
            } catch (FileAlreadyExistsException taken) {
                // Try the next number.
            }
        }
        throw new FileAlreadyExistsException(wanted.toString());
    }

    /** Creates a hard link, which fails atomically if the name is taken; not every file system supports links. */
    private static void link(Path name, Path part) throws IOException {
        try {
            Files.createLink(name, part);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (UnsupportedOperationException | IOException e) {
            Files.move(part, name);
        }
    }

    private static String numbered(String fileName, int n) {
        int suffix = fileName.indexOf('.');
        return suffix < 0 ? fileName + "-" + n : fileName.substring(0, suffix) + "-" + n + fileName.substring(suffix);
    }

    /** Returns true if the output is, or will be, a regular file. */
    public boolean isRegular() {
        return stream == null && (!mayReplace || !Files.exists(wanted) || Files.isRegularFile(wanted));
    }

    /** Returns the requested name. */
    public Path wanted() {
        return wanted;
    }

    /** Writes to a device or a pipe directly: it has no contents to protect, and no file may replace it. */
    private Path writeThrough(Contents contents) throws CommandFailed {
        if (stream != null) {
            return writeTo(stream, contents);
        }
        try {
            PlantedFiles.requireNone(wanted, owner());
        } catch (IOException e) {
            throw failed(wanted, e);
        }
        try (OutputStream out = Files.newOutputStream(wanted, StandardOpenOption.WRITE)) {
            contents.writeTo(isPipe(wanted) ? new Pipe(out) : out);
            return wanted;
        } catch (ReaderGone e) {
            throw CommandFailed.readerGone(wanted.toString());
        } catch (IOException e) {
            throw failed(wanted, e);
        }
    }

    private Path writeTo(Terminal terminal, Contents contents) throws CommandFailed {
        OutputStream checked = new CheckedOutput(terminal.out());
        try (var out = new BufferedOutputStream(terminal.outIsPipe() ? new Pipe(checked) : checked, BUFFER)) {
            contents.writeTo(out);
            return wanted;
        } catch (ReaderGone e) {
            throw CommandFailed.readerGone(name(wanted));
        } catch (IOException e) {
            throw failed(wanted, e);
        }
    }

    /** A stream that reports a failed write of a print stream at once. The print stream stays open. */
    private static final class CheckedOutput extends OutputStream {
        private final PrintStream out;

        CheckedOutput(PrintStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            if (out.checkError()) {
                throw new IOException("it accepted only a part of the data");
            }
        }

        @Override
        public void close() {
            out.flush();
        }
    }

    private static boolean isPipe(Path path) throws IOException {
        return Files.getAttribute(path, "unix:mode") instanceof Integer mode
                && ((mode & TYPE) == FIFO || (mode & TYPE) == SOCKET);
    }

    /** A stream to a pipe or socket; its writes fail if the reader has closed it: EPIPE, see write(2). */
    private static final class Pipe extends FilterOutputStream {
        Pipe(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw new ReaderGone(e);
            }
        }
    }

    private static final class ReaderGone extends IOException {
        private static final long serialVersionUID = 1;

        ReaderGone(IOException cause) {
            super(cause);
        }
    }

    /** Returns the failure that reports an I/O error of a file to the user. */
    public static CommandFailed failed(Path path, IOException e) {
        if (e instanceof RenderingFailed) {
            return Message.RENDERING.with(name(path), String.valueOf(e.getMessage()));
        }
        return Message.OUTPUT.with(name(path), reason(path, e));
    }

    private static String reason(Path path, IOException e) {
        Path directory = path.toAbsolutePath().getParent();
        if (e instanceof NoSuchFileException && directory != null && !Files.isDirectory(directory)) {
            return "there is no directory " + directory;
        }
        return reason(e);
    }

    /** Returns the reason for an I/O error; Java's file exceptions contain the path and little else. */
    public static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "no such file";
            case java.nio.file.AccessDeniedException _ -> "permission denied";
            case java.nio.file.FileSystemException f when f.getReason() != null -> String.valueOf(f.getReason());
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : String.valueOf(e.getMessage());
        };
    }

    /** Removes unfinished files. May be called from any thread. */
    @Override
    public void close() {
        synchronized (parts) {
            for (Path part : parts) {
                remove(part);
            }
            parts.clear();
        }
    }

    private static @Nullable IOException remove(Path part) {
        try {
            Files.deleteIfExists(part);
            return null;
        } catch (IOException e) {
            return e;
        }
    }
}
