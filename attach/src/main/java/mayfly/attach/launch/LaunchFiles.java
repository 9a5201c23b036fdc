package mayfly.attach.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.HostFiles;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.proc.Stat;

/**
 * The files with which a JVM starts with a profiler: a library for its command line, and a launch file that the library
 * reads.
 */
public final class LaunchFiles {
    static final String LIBRARY = "libmayflylaunch.so";
    static final String PRELOAD = "libmayflypreload.so";
    private static final String LAUNCH = "profiler.launch";
    private static final String PART = ".part";
    private static final Path PROC = Path.of("/proc");
    private static final Path SELF = Path.of("/proc/self");
    /** Time for reading the environments of all processes. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final int MAX_ENVIRONMENT = 8 << 20;
    private static final int WINDOW = 1 << 16;
    /** Characters that would end or split an option of a JVM. */
    private static final String NOT_IN_PATHS = ".*[\\s\"'=].*";

    /** Characters that separate the names in LD_PRELOAD, or that the dynamic loader replaces there. */
    private static final String NOT_IN_PRELOADED_PATHS = ".*[\\s:$].*";

    private final Path folder;

    private LaunchFiles(Path folder) {
        this.folder = folder;
    }

    /**
     * Creates the files in a new folder, for a program that is started now. JVMs that are started by a JVM with
     * the profiler do not inherit the profiler, unless it is for many JVMs of a process or for those of one
     * version. The library is readable by all users, because a JVM that cannot read it does not start. The
     * launch file is readable by all users only if the jar is.
     *
     * @throws AttachFailed if the jar is invalid, or there is no place for the files
     */
    public static LaunchFiles temporary(LaunchRequest request) throws AttachFailed {
        try {
            byte[] launch = LaunchFile.of(request, false);
            byte[] library = HostFiles.launchLibrary();
            LaunchFiles files = new LaunchFiles(LaunchFolder.make());
            try {
                files.write(LIBRARY, library, true);
                files.write(LAUNCH, launch, isForEverybody(request.jar()));
                return files;
            } catch (IOException e) {
                files.delete();
                throw e;
            }
        } catch (IOException e) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "the files for the JVM cannot be made: " + e.getMessage());
        }
    }

    /**
     * Creates the files in a folder of the user, where they remain; existing files are replaced. JVMs that are started
     * by a JVM with the profiler inherit the profiler.
     *
     * @throws AttachFailed if the jar or the folder is invalid, or other users could replace the library that JVMs load
     */
    public static LaunchFiles in(Path folder, LaunchRequest request) throws AttachFailed {
        Path whole = folder.toAbsolutePath().normalize();
        if (whole.toString().matches(NOT_IN_PATHS)) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "a JVM's option cannot name " + whole + ": the path must not contain a blank, a quote or =");
        }
        try {
            byte[] launch = LaunchFile.of(request, true);
            byte[] library = HostFiles.launchLibrary();
            LaunchFiles files = inOwn(whole);
            files.write(LIBRARY, library, true);
            files.write(LAUNCH, launch, isForEverybody(request.jar()));
            return files;
        } catch (IOException e) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED, "the files for the JVM cannot be made in " + whole + ": " + e.getMessage());
        }
    }

    /** A JVM, perhaps one of root, loads the library from the folder: other users must not be able to replace it. */
    static LaunchFiles inOwn(Path folder) throws IOException {
        OwnFolder.makeForAll(folder, "choose a folder of your own");
        return new LaunchFiles(folder);
    }

    private static boolean isForEverybody(Path jar) throws IOException {
        Path real = jar.toRealPath();
        boolean everybody = Files.getPosixFilePermissions(real).contains(PosixFilePermission.OTHERS_READ);
        for (Path folder = real.getParent(); folder != null && everybody; folder = folder.getParent()) {
            everybody = Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE);
        }
        return everybody;
    }

    /** The file is replaced atomically: a running JVM may use the previous one. */
    private void write(String name, byte[] content, boolean forEverybody) throws IOException {
        Path part = folder.resolve(name + PART);
        Files.deleteIfExists(part);
        Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(part, content);
        Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(forEverybody ? "r-xr-xr-x" : "r--------"));
        Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns the option for the JVM. It contains no blank. */
    public String option() {
        return "-agentpath:" + folder.resolve(LIBRARY) + "=" + folder.resolve(LAUNCH);
    }

    /**
     * Adds a library to the files, and returns its name for {@code LD_PRELOAD}. It gives the option to a JVM that can
     * open the launch library: a JVM that cannot would end, and starts without the profiler instead.
     *
     * @throws AttachFailed if the variable cannot name the folder, or the library cannot be made
     */
    public Path preload() throws AttachFailed {
        if (folder.toString().matches(NOT_IN_PRELOADED_PATHS)) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED,
                    "LD_PRELOAD cannot name " + folder + ": the path must not contain a blank, a colon or $");
        }
        try {
            write(PRELOAD, HostFiles.preloadLibrary(), true);
            return folder.resolve(PRELOAD);
        } catch (IOException e) {
            throw new AttachFailed(
                    Status.ATTACH_REFUSED, "the files for the JVM cannot be made in " + folder + ": " + e.getMessage());
        }
    }

    /**
     * Removes the files, unless a process has their names in its environment: a JVM that this process starts would fail
     * without them.
     *
     * @return the processes that have the names in their environment; empty if the files were removed
     * @throws AttachFailed if the processes cannot be listed, or the files cannot be removed
     */
    public List<Long> remove() throws AttachFailed {
        try {
            List<Long> named = namedBy(PROC, folder.toString(), LIMIT);
            if (named.isEmpty()) {
                delete();
            }
            return named;
        } catch (IOException e) {
            throw new AttachFailed(Status.FAILED, folder + " cannot be removed: " + e.getMessage());
        }
    }

    private void delete() throws IOException {
        for (String name : List.of(LAUNCH, LIBRARY, PRELOAD)) {
            Files.deleteIfExists(folder.resolve(name + PART));
            Files.deleteIfExists(folder.resolve(name));
        }
        Files.deleteIfExists(folder);
    }

    /** Returns the folder of the files. */
    public Path folder() {
        return folder;
    }

    /**
     * Returns the processes that have a folder in their environment, or may have it. A process that is older
     * than this one cannot have it. If the time runs out, every process that was not read yet counts as having it.
     */
    static List<Long> namedBy(Path proc, String folder, Duration limit) throws IOException {
        String[] names = proc.toFile().list((_, name) -> name.matches("[0-9]{1,10}"));
        if (names == null) {
            throw new IOException("the processes in " + proc + " cannot be listed");
        }
        List<Long> found = new ArrayList<>();
        long end = System.nanoTime() + limit.toNanos();
        ExecutorService reader = Executors.newSingleThreadExecutor(LaunchFiles::daemon);
        try {
            for (String pid : names) {
                Path process = proc.resolve(pid);
                if (!isOlder(process) && mayName(process, folder, reader, end)) {
                    found.add(Long.valueOf(pid));
                }
            }
        } finally {
            reader.shutdownNow();
        }
        return found;
    }

    /** Limits the time of the read: an environment is in the process's memory, and a user can delay its reading. */
    private static boolean mayName(Path proc, String folder, ExecutorService reader, long end) {
        long left = end - System.nanoTime();
        if (left <= 0) {
            return true;
        }
        Future<Boolean> named = reader.submit(() -> mayName(proc, SELF, folder));
        try {
            return named.get(left, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return true; // there is no time left, so the reader is not used again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "environments");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Returns true if a process has a folder in its environment, or may have it. If the environment cannot be read, the
     * process may have it if its real user, its session or its login is that of this process: it may be a set-uid
     * program that this user has started. Such a program may have changed its real user and its session too, and may
     * pass its environment on to a JVM.
     *
     * @param self the directory of this process
     */
    static boolean mayName(Path proc, Path self, String folder) {
        try (InputStream in = Files.newInputStream(proc.resolve("environ"))) {
            return contains(in, folder.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            return isRelated(proc, self) && !isOlder(proc);
        }
    }

    /**
     * Searches for a text. A process can make its environment as large as its memory; the kernel limits it at execve(2)
     * to a quarter of the stack limit.
     */
    private static boolean contains(InputStream in, byte[] text) throws IOException {
        byte[] window = new byte[WINDOW + text.length];
        int kept = 0;
        for (int total = 0; total < MAX_ENVIRONMENT; ) {
            int read = in.readNBytes(window, kept, WINDOW);
            int end = kept + read;
            if (indexOf(window, end, text) >= 0) {
                return true;
            }
            if (read < WINDOW) {
                return false;
            }
            total += read;
            kept = text.length - 1;
            System.arraycopy(window, end - kept, window, 0, kept);
        }
        return false;
    }

    private static int indexOf(byte[] window, int end, byte[] text) {
        for (int at = 0; at + text.length <= end; at++) {
            if (Arrays.equals(window, at, at + text.length, text, 0, text.length)) {
                return at;
            }
        }
        return -1;
    }

    private static boolean isRelated(Path proc, Path self) {
        try {
            return ProcStatus.realUserOf(proc) == ProcStatus.realUserOf(self)
                    || areSame(ProcStatus.sessionOf(proc), ProcStatus.sessionOf(self))
                    || areSame(ProcStatus.loginOf(proc), ProcStatus.loginOf(self));
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static boolean areSame(String a, String b) {
        return !a.isEmpty() && a.equals(b);
    }

    /**
     * Returns true if a process is older than this one and so cannot use the files, which this process has made. Only
     * /proc/PID/stat is read for that: the kernel generates it without reading the memory of the process.
     */
    private static boolean isOlder(Path proc) {
        long start = startOf(proc);
        return start > 0 && start < startOf(SELF);
    }

    /** Returns the start time of a process in ticks since boot; 0 if it cannot be read. */
    private static long startOf(Path proc) {
        try {
            Stat stat = Stat.parse(Files.readString(proc.resolve("stat"), StandardCharsets.ISO_8859_1));
            return stat == null ? 0 : stat.startTicks();
        } catch (IOException e) {
            return 0;
        }
    }
}
