package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import mayfly.kit.Command;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request to load the host waits in the listener's queue while every process of Mayfly ends. Processes of another
 * user then get their ids, and have a library of their own open under every descriptor number.
 */
class RecycledPidTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement({"A-07", "A-15"})
    void requestThatOutlivesMayflyLoadsNoLibraryOfAnotherUser(Jdk jdk) throws Exception {
        Path planted = CSource.build("planted", "-shared", "-fPIC");
        Path recycle = CSource.build("recycle");
        Path mark = folder.resolve("mark");
        Path jar = ProfilerJars.scripted(folder, "");
        // The shell reaps orphaned processes, so that their ids become free.
        try (Jvm jvm = Namespaces.newPids(Jvm.run("Idle").on(jdk))
                .under("sh", "-c", "\"$@\"; exit $?", "sh")
                .environment("PLANTED_MARK", mark.toString())
                .start()) {
            long pid = ProcessHandle.of(jvm.pid())
                    .orElseThrow()
                    .descendants()
                    .filter(it -> it.info().command().orElse("").matches(".*/(java|ld-linux-x86-64.so.2)"))
                    .findFirst()
                    .orElseThrow()
                    .pid();
            int inner = innermost(pid);
            assertAnswers(pid);
            Set<Integer> ids = new TreeSet<>();
            List<Path> libraries;
            try (Occupied listener = Occupied.of(pid, inner)) {
                try (LaunchedMayfly mayfly = LaunchedMayfly.startUnder(
                        inside(pid, "env", "XDG_STATE_HOME=" + folder),
                        "attach",
                        Integer.toString(inner),
                        "--profiler",
                        jar.toString(),
                        "--timeout",
                        "5s")) {
                    awaitConnections(inner, 3);
                    libraries = libraries(inner);
                    List<ProcessHandle> all =
                            new ArrayList<>(mayfly.process().descendants().toList());
                    HostTrace.cleanupProcesses(inner)
                            .forEach(it -> ProcessHandle.of(it).ifPresent(all::add));
                    for (ProcessHandle each : all) {
                        ids.add(innermost(each.pid()));
                    }
                    all.forEach(ProcessHandle::destroyForcibly);
                    all.forEach(each -> each.onExit().join());
                }
                try (Recycler _ = Recycler.start(inside(pid, recycle.toString(), planted.toString()), ids)) {
                    listener.release();
                    assertAnswers(pid); // its request is queued behind that of the killed command
                    assertThat(mark)
                            .as("the library of a process that got the id of a helper process (%s)", ids)
                            .doesNotExist();
                    awaitNoneBut(libraries, pid);
                }
            }
            removeWhatStays(libraries);
            assertThat(jvm.ask("still there?")).isEqualTo("still there?");
        }
    }

    /** Returns the directories with a library for this process, named by the pid in its own namespace. */
    private static List<Path> libraries(int inner) throws IOException {
        String name = String.format(Locale.ROOT, "\\.mayfly-%08x[0-9a-f]{8}", inner);
        return Checks.files(Path.of("/tmp")).stream()
                .filter(path -> path.getFileName().toString().matches(name))
                .toList();
    }

    /** Waits until nothing of a host remains in the JVM. */
    private static void awaitNoneBut(List<Path> directories, long pid) throws IOException {
        List<String> mayStay = directories.stream()
                .map(directory -> directory.getFileName().toString())
                .toList();
        Deadline deadline = Deadline.in(LIMIT);
        for (List<String> left = HostTrace.of(pid); !mayStay.containsAll(left); left = HostTrace.of(pid)) {
            deadline.check("still there: %s", left);
        }
    }

    /**
     * Removes the library if both processes were killed before the request was sent: it then remains in a directory to
     * which only its owner can write.
     */
    private static void removeWhatStays(List<Path> directories) throws IOException {
        for (Path directory : directories) {
            if (Files.exists(directory)) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                        .isEqualTo("rwx------");
                for (Path file : Checks.files(directory)) {
                    Files.deleteIfExists(file);
                }
                Files.deleteIfExists(directory);
            }
        }
    }

    private static List<String> inside(long pid, String... command) {
        List<String> line =
                new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid), "--pid", "--mount", "--"));
        line.addAll(List.of(command));
        return line;
    }

    /** Waits for this many sockets: the listener, the connections that it has accepted, and those that wait. */
    private static void awaitConnections(int inner, int count) throws IOException {
        Deadline deadline = Deadline.in(LIMIT);
        while (Files.readAllLines(Path.of("/proc/net/unix")).stream()
                        .filter(line -> line.contains("/tmp/.java_pid" + inner + ".tmp"))
                        .count()
                < count) {
            deadline.check("no request came");
        }
    }

    private static int innermost(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
                .filter(line -> line.startsWith("NSpid:"))
                .map(line -> line.replaceFirst(".*\\s", ""))
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElseThrow();
    }

    private static void assertAnswers(long pid) {
        Command done = Command.run(LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(pid), "VM.version");
        assertThat(done.exitCode()).as(done.evidence()).isZero();
    }

    /** The listener waits for the request of a client that sends none. */
    private record Occupied(SocketChannel client) implements AutoCloseable {
        static Occupied of(long pid, int inner) throws IOException {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of("/proc/" + pid + "/root/tmp/.java_pid" + inner));
            return new Occupied(channel);
        }

        void release() throws IOException {
            client.close();
        }

        @Override
        public void close() throws IOException {
            client.close();
        }
    }

    /** Processes of another user that have these ids. */
    private record Recycler(Process process) implements AutoCloseable {
        static Recycler start(List<String> command, Set<Integer> ids) throws IOException {
            List<String> line = new ArrayList<>(command);
            ids.forEach(id -> line.add(id.toString()));
            Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            assertThat(process.inputReader().readLine()).isEqualTo("READY");
            return new Recycler(process);
        }

        @Override
        public void close() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        }
    }
}
