package mayfly.attach.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import mayfly.attach.channel.Deadline;
import mayfly.linux.LiveProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The target is a shell that changes the directory of the cleanup process, as the target's user is able to. */
@Tag("slow")
class CleanupProcessTest {
    private static final String OWN = ".mayfly-0123456789abcdef";
    private static final String NAME = ".mayfly-0123456789abcdef0123456789abcdef.so";
    private static final int LIMIT_SECONDS = 60;
    /** Mounts the first argument over the second on request. */
    private static final String MOUNTING =
            "echo started; read -r line; mount --bind \"$1\" \"$2\" && echo mounted; read -r line";

    @TempDir
    private Path folder;

    private Path made() throws IOException {
        Path made = Files.createDirectory(folder.resolve(OWN));
        Files.writeString(made.resolve(NAME), "library");
        return made;
    }

    private Path victim() throws IOException {
        Path victim = Files.createDirectory(folder.resolve("victim"));
        Files.createDirectory(victim.resolve("nested"));
        Files.writeString(victim.resolve("nested").resolve("kept"), "kept");
        Files.writeString(victim.resolve("kept"), "kept");
        return victim;
    }

    private static void assertWhole(Path victim) {
        assertThat(victim.resolve("kept")).hasContent("kept");
        assertThat(victim.resolve("nested").resolve("kept")).hasContent("kept");
    }

    private static void awaitEnd(CleanupProcess cleanup) throws InterruptedException {
        assertThat(cleanup.shell().waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("the shell has ended")
                .isTrue();
    }

    private static Deadline deadline() {
        return Deadline.in(Duration.ofSeconds(LIMIT_SECONDS));
    }

    private static Process target(String... command) throws IOException {
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void abandonedLibraryIsRemovedWithItsDirectory() throws Exception {
        Path made = made();
        Process target = target("cat");
        try (LiveProcess process = LiveProcess.open((int) target.pid())) {
            CleanupProcess cleanup = CleanupProcess.in(folder.toString(), process, deadline());
            cleanup.made(OWN + "/" + NAME);
            cleanup.close();
            awaitEnd(cleanup);
            assertThat(made).doesNotExist();
        } finally {
            target.destroyForcibly().waitFor();
        }
    }

    @Test
    void abandonedMarkerIsRemovedAlone() throws Exception {
        Path marker = Files.createFile(folder.resolve(".attach_pid1"));
        Path kept = Files.createFile(folder.resolve("kept"));
        Process target = target("cat");
        try (LiveProcess process = LiveProcess.open((int) target.pid())) {
            CleanupProcess cleanup = CleanupProcess.in(folder.toString(), process, deadline());
            cleanup.made(".attach_pid1");
            cleanup.close();
            awaitEnd(cleanup);
            assertThat(marker).doesNotExist();
            assertThat(kept).exists();
        } finally {
            target.destroyForcibly().waitFor();
        }
    }

    /**
     * If rm ran before the end of the request, its command line would reveal the name, and other users could create a
     * file of that name before the JVM loads it.
     */
    @Test
    void removedLibraryIsNotNamedInTheCleanupCommandWhilePending() throws Exception {
        Path made = made();
        Process target = target("cat");
        Path socket = Path.of("/tmp/.java_pid" + target.pid() + ".tmp");
        try (LiveProcess process = LiveProcess.open((int) target.pid())) {
            CleanupProcess cleanup = CleanupProcess.in(folder.toString(), process, deadline());
            try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                listener.bind(UnixDomainSocketAddress.of(socket));
                cleanup.made(OWN + "/" + NAME);
                try (SocketChannel pending = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                    cleanup.loading();
                    Files.delete(made.resolve(NAME));
                    Files.delete(made);
                    cleanup.close();
                    assertThat(cleanup.shell().waitFor(3, TimeUnit.SECONDS))
                            .as("it waits for %s", pending)
                            .isFalse();
                }
            }
            awaitEnd(cleanup);
        } finally {
            Files.deleteIfExists(socket);
            target.destroyForcibly().waitFor();
        }
    }

    @Test
    void directoryMovedOverTheLibraryDirectoryIsNotRemoved() throws Exception {
        Path victim = victim();
        assertWhole(abandonedAfter(made -> Files.move(victim, made)));
    }

    @Test
    void symlinkInPlaceOfTheLibraryDirectoryIsNotFollowed() throws Exception {
        Path victim = victim();
        abandonedAfter(made -> Files.createSymbolicLink(made, victim));
        assertWhole(victim);
    }

    /** Replaces the library's directory. */
    private interface Swap {
        void into(Path made) throws IOException;
    }

    /** Abandons a library whose directory was moved away and replaced during the load; returns the directory. */
    private Path abandonedAfter(Swap swap) throws Exception {
        Path made = made();
        Process target = target("cat");
        try (LiveProcess process = LiveProcess.open((int) target.pid())) {
            CleanupProcess cleanup = CleanupProcess.in(folder.toString(), process, deadline());
            cleanup.made(OWN + "/" + NAME);
            cleanup.loading();
            Files.move(made, folder.resolve("was"));
            swap.into(made);
            cleanup.close();
            awaitEnd(cleanup);
            return made;
        } finally {
            target.destroyForcibly().waitFor();
        }
    }

    @Test
    @Tag("privileged")
    void directoryMountedOverTheLibraryDirectoryIsNotRemoved() throws Exception {
        Path made = made();
        Path victim = victim();
        Process target = target(
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                MOUNTING,
                "sh",
                victim.toString(),
                made.toString());
        try (BufferedReader out = target.inputReader(StandardCharsets.UTF_8)) {
            assumeTrue(out.readLine() != null, "namespaces are not available");
            try (LiveProcess process = LiveProcess.open((int) target.pid())) {
                CleanupProcess cleanup = CleanupProcess.in(folder.toString(), process, deadline());
                cleanup.made(OWN + "/" + NAME);
                cleanup.loading();
                target.getOutputStream().write('\n');
                target.getOutputStream().flush();
                assumeTrue("mounted".equals(out.readLine()), "mounting is not permitted");
                cleanup.close();
                awaitEnd(cleanup);
                assertWhole(victim);
            }
        } finally {
            target.destroyForcibly().waitFor();
        }
    }
}
