package mayfly.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears whole or not at all. What is being written has another name, in the same directory, and is
 * removed if it does not come to an end. A name that the user gave is replaced; a name that we chose never replaces anything.
 */
final class OutputFile implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Writes the contents. */
    @FunctionalInterface
    interface Contents {
        void writeTo(OutputStream out) throws IOException;
    }

    private final Path wanted;
    private final boolean mayReplace;
    private final List<Path> parts = new ArrayList<>();

    private OutputFile(Path wanted, boolean mayReplace) {
        this.wanted = wanted;
        this.mayReplace = mayReplace;
    }

    /** A name that the user gave. An existing file is replaced, through a symbolic link too. */
    static OutputFile named(Path path) throws CommandFailed {
        Path target = path.toAbsolutePath();
        if (Files.isDirectory(target)) {
            throw Message.OUTPUT.with(path, "it is a directory");
        }
        try {
            if (Files.isSymbolicLink(target) && Files.exists(target)) {
                target = target.toRealPath();
            }
        } catch (IOException e) {
            throw failed(path, e);
        }
        return new OutputFile(target, true);
    }

    /** A name that we chose; it gets a number if it is taken. */
    static OutputFile unnamed(String fileName) {
        return new OutputFile(Path.of(fileName).toAbsolutePath(), false);
    }

    /**
     * A name beside the wanted one for something to be written now; whether a file can be there has been tried. What is
     * there at {@link #close} is removed, unless it was {@linkplain #commit committed}.
     */
    Path part(String purpose) throws CommandFailed {
        String random = Long.toHexString(RANDOM.nextLong() | 1L << 63);
        Path directory = isRegular() ? wanted.resolveSibling(".").normalize()
                : Path.of(System.getProperty("java.io.tmpdir"));
        Path part = directory.resolve("." + wanted.getFileName() + "." + random + "." + purpose + ".part");
        synchronized (parts) {
            parts.add(part);
        }
        try {
            Files.newOutputStream(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE).close();
            Files.delete(part);
        } catch (IOException e) {
            throw failed(wanted, e);
        }
        return part;
    }

    /** Writes the file. Its path afterwards. */
    Path write(Contents contents) throws CommandFailed {
        if (!isRegular()) {
            return writeThrough(contents);
        }
        Path part = part("new");
        try (var out = new LateFile(part)) {
            contents.writeTo(out);
        } catch (IOException e) {
            throw failed(wanted, e);
        }
        return commit(part);
    }

    /**
     * A file that appears when all of it is there: a kill while a page is being made leaves nothing. What is larger than
     * the limit appears earlier.
     */
    private static final class LateFile extends OutputStream {
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

    /** Gives a finished part its name. Its path afterwards. */
    Path commit(Path part) throws CommandFailed {
        try {
            if (mayReplace) {
                Files.move(part, wanted, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                return wanted;
            }
            return commitUnderFreeName(part);
        } catch (IOException e) {
            throw failed(wanted, e);
        }
    }

    private Path commitUnderFreeName(Path part) throws IOException {
        for (int i = 1; i < 1000; i++) {
            Path name = i == 1 ? wanted : wanted.resolveSibling(numbered(wanted.getFileName().toString(), i));
            try {
                link(name, part);
                return name;
            } catch (FileAlreadyExistsException taken) {
                // The next number.
            }
        }
        throw new FileAlreadyExistsException(wanted.toString());
    }

    /** A hard link fails if the name is taken, in one step; not every file system has them. */
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

    /** Whether it is, or will be, a regular file. */
    boolean isRegular() {
        return !mayReplace || !Files.exists(wanted) || Files.isRegularFile(wanted);
    }

    /** The name it shall have. */
    Path wanted() {
        return wanted;
    }

    /** A device or a pipe has no contents to protect, and must not be replaced by a file. */
    private Path writeThrough(Contents contents) throws CommandFailed {
        try (OutputStream out = Files.newOutputStream(wanted, StandardOpenOption.WRITE)) {
            contents.writeTo(out);
            return wanted;
        } catch (IOException e) {
            throw failed(wanted, e);
        }
    }

    /** What an I/O failure of a file says to a user. */
    static CommandFailed failed(Path path, IOException e) {
        return Message.OUTPUT.with(path, reason(path, e));
    }

    private static String reason(Path path, IOException e) {
        Path directory = path.toAbsolutePath().getParent();
        if (e instanceof NoSuchFileException && directory != null && !Files.isDirectory(directory)) {
            return "there is no directory " + directory;
        }
        return reason(e);
    }

    /** Java's file exceptions say the path and little else. */
    static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "no such file";
            case java.nio.file.AccessDeniedException _ -> "permission denied";
            case java.nio.file.FileSystemException f when f.getReason() != null -> String.valueOf(f.getReason());
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : String.valueOf(e.getMessage());
        };
    }

    /** Removes what was not finished. May be called from any thread. */
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
