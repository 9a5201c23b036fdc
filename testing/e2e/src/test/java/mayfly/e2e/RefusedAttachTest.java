package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.Patience;
import mayfly.kit.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** JVMs that cannot be attached to, and users who interfere: the attach is refused with a message and without harm. */
class RefusedAttachTest {
    private static final Duration LIMIT = Patience.of(Duration.ofSeconds(60));
    private static final int NOT_PERMITTED = 4;
    private static final int NOBODY = 65534;
    private static final String[] ANOTHER_USER = {"setpriv", "--reuid=65533", "--regid=65533", "--clear-groups"};

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    private AttachFailed refused(Jvm jvm) throws IOException {
        AttachFailed failed = Attached.failure(() -> Attached.to(jvm, folder, ""));
        assertThat(failed.status()).as(failed.toString()).isEqualTo(Status.ATTACH_REFUSED);
        return failed;
    }

    /** Asserts that no signal reached the JVM: it would have printed a thread dump or started its listener. */
    private static void assertUnharmed(Jvm jvm) throws IOException {
        assertThat(jvm.ask("still there?")).as(jvm.evidence()).isEqualTo("still there?");
        assertThat(jvm.stdout()).doesNotContain("Full thread dump");
        assertThat(HostTrace.of(jvm)).isEmpty();
        assertThat(Checks.files(Path.of("/proc/" + jvm.pid() + "/task")))
                .as("no attach listener was started")
                .noneMatch(task -> name(task).equals("Attach Listener\n"));
    }

    private static String name(Path task) {
        try {
            return Files.readString(task.resolve("comm"));
        } catch (IOException e) {
            return ""; // it has ended meanwhile
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-13")
    void jvmWithDisableAttachMechanismGetsNoSignal(Jdk jdk) throws Exception {
        for (String[] options :
                new String[][] {{"-XX:+DisableAttachMechanism"}, {"-XX:+DisableAttachMechanism", "-XX:-UsePerfData"}}) {
            try (Jvm jvm = Jvm.run("Idle").on(jdk).with(options).start()) {
                assertThat(refused(jvm)).hasMessageContaining("-XX:+DisableAttachMechanism");
                assertUnharmed(jvm);
            }
        }
    }

    /** A JVM may have been configured to end on an OutOfMemoryError. */
    @ParameterizedTest
    @MethodSource("jdks")
    void profilerTooLargeForTheHeapIsRefusedWithoutOutOfMemory(Jdk jdk) throws Exception {
        Path large = ProfilerJars.with(folder.resolve("large.jar"), 15 << 20);
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-Xmx24m", "-XX:+ExitOnOutOfMemoryError")
                .start()) {
            AttachFailed failed = Attached.failure(() -> Attached.by(Attached.request(jvm, large, "")));
            assertThat(failed.status()).as(failed.toString()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(failed).hasMessageContaining("no room for a request of that size");
            HostTrace.awaitNone(jvm);
            Attached small = Attached.to(jvm, folder, "");
            assertThat(small.ask("echo x")).isEqualTo("x");
            AttachFailed command = Attached.failure(() -> small.ask("echo " + "x".repeat(15 << 20)));
            assertThat(command).hasMessageContaining("no room for a request of that size");
            small.detach();
            assertThat(jvm.ask("load")).isEqualTo("a guest");
        }
    }

    @Test
    void profilerUpToTheSizeLimitIsAttachedAndALargerOneRefused() throws Exception {
        try (Jvm jvm = Jvm.run("Idle").start()) {
            String pid = Long.toString(jvm.pid());
            Path most = ProfilerJars.with(folder.resolve("most.jar"), (16 << 20) - (256 << 10));
            Path more = ProfilerJars.with(folder.resolve("more.jar"), 16 << 20);
            Command refused = LaunchedMayfly.runUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    LIMIT,
                    folder,
                    "attach",
                    pid,
                    "--profiler",
                    more.toString());
            assertThat(refused.exitCode()).as(refused.evidence()).isEqualTo(10 + Status.ATTACH_REFUSED.number());
            assertThat(refused.stderr()).contains("more than 16 MiB unpacked");
            assertUnharmed(jvm);
            Command attached = LaunchedMayfly.runUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    LIMIT,
                    folder,
                    "attach",
                    pid,
                    "--profiler",
                    most.toString());
            assertThat(attached.exitCode()).as(attached.evidence()).isZero();
            ProfilerClient.detach(Math.toIntExact(jvm.pid()), "done", LIMIT);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @Test
    @Requirement("A-12")
    void aReadOnlyTmpIsNamedInTheRefusalAndInTheLog() throws Exception {
        try (Jvm jvm = Namespaces.newTmp(Jvm.run("Idle"), "ro").start()) {
            Command done = LaunchedMayfly.runUnder(
                    List.of("env", "XDG_STATE_HOME=" + folder),
                    LIMIT,
                    folder,
                    "attach",
                    Long.toString(jvm.pid()),
                    "--profiler",
                    ProfilerJars.scripted(folder, "").toString());
            assertThat(done.exitCode()).as(done.evidence()).isEqualTo(10 + Status.ATTACH_REFUSED.number());
            assertThat(done.stderr()).contains("/tmp", "EROFS", "[attach-refused]");
            assertThat(Files.readString(folder.resolve("mayfly/events.jsonl")).lines())
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains("\"status\":\"ATTACH_REFUSED\"", "EROFS");
            assertUnharmed(jvm);
        }
    }

    @Test
    void aFullTmpDoesNotPreventAnAttach() throws Exception {
        try (Jvm jvm = Namespaces.newTmp(Jvm.run("Idle"), "size=64k").start()) {
            Path tmp = Path.of("/proc/" + jvm.pid() + "/root/tmp");
            fill(tmp);
            List<Path> before = Checks.files(tmp);
            Attached.to(jvm, folder, "").detach();
            HostTrace.awaitNone(jvm);
            assertThat(Checks.files(tmp)).isEqualTo(before);
            assertUnharmed(jvm);
        }
    }

    /** Mayfly then places the library in another directory of the target. */
    @Test
    void noexecTmpDoesNotPreventAnAttach() throws Exception {
        try (Jvm jvm = Namespaces.newTmp(Jvm.run("Idle"), "noexec").start()) {
            Path tmp = Path.of("/proc/" + jvm.pid() + "/root/tmp");
            List<Path> before = Checks.files(tmp);
            Attached.to(jvm, folder, "").detach();
            HostTrace.awaitNone(jvm);
            assertThat(Checks.files(tmp)).isEqualTo(before);
            assertUnharmed(jvm);
        }
    }

    private static void fill(Path directory) throws IOException {
        try (var out = Files.newOutputStream(directory.resolve("filler"))) {
            for (int i = 0; i < 1 << 20; i++) {
                out.write(new byte[4096]);
            }
        } catch (IOException e) {
            return; // full
        }
        throw new AssertionError(directory + " does not get full");
    }

    @Test
    void tmpWithoutFreeInodesIsNamedInTheRefusal() throws Exception {
        try (Jvm jvm = Namespaces.newTmp(Jvm.run("Idle"), "nr_inodes=40").start()) {
            Path tmp = Path.of("/proc/" + jvm.pid() + "/root/tmp");
            useUp(tmp);
            assertThat(refused(jvm)).hasMessageContaining("/tmp").hasMessageContaining("ENOSPC");
            assertUnharmed(jvm);
        }
    }

    @Test
    void tmpNotWritableByItsUserIsNamedInTheRefusal() throws Exception {
        Privileges.asNobody();
        try (Jvm jvm = Namespaces.newTmp(Jvm.run("Idle"), "mode=755")
                .under(ANOTHER_USER)
                .start()) {
            assertThat(refused(jvm)).hasMessageContaining("its user, 65533, may not write to its /tmp");
            assertUnharmed(jvm);
        }
    }

    private static void useUp(Path directory) {
        try {
            for (int i = 0; i < 1 << 20; i++) {
                Files.createFile(directory.resolve("name" + i));
            }
        } catch (IOException e) {
            return; // used up
        }
        throw new AssertionError(directory + " does not run out of inodes");
    }

    /** A JVM that already listens would end its listener permanently if it could not accept a connection. */
    @ParameterizedTest
    @MethodSource("jdks")
    void attachToAJvmWithoutFreeDescriptorsIsRefused(Jdk jdk) throws Exception {
        for (boolean listens : new boolean[] {false, true}) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                    .on(jdk)
                    .under("prlimit", "--nofile=200:200")
                    .start()) {
                if (listens) {
                    Command jcmd = Command.run(
                            LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "VM.version");
                    assertThat(jcmd.exitCode()).as(jcmd.evidence()).isZero();
                }
                assertThat(Integer.parseInt(jvm.ask("take-descriptors"))).isPositive();
                assertThat(refused(jvm)).hasMessageContaining("has almost no free descriptors: ");
                assertThat(jvm.ask("give-descriptors")).isEqualTo("closed");
                assertThat(jvm.stdout()).doesNotContain("Full thread dump");
                Attached.to(jvm, folder, "").detach();
                assertThat(HostTrace.of(jvm)).isEmpty();
            }
        }
    }

    /** Files that a user who may write to /tmp can create there in advance. */
    enum Planted {
        FILE,
        LINK,
        FIFO,
        SOCKET,
        DIRECTORY;

        AutoCloseable at(Path path, Path folder) throws Exception {
            AutoCloseable made = switch (this) {
                case FILE -> nothing(Files.writeString(path, "mine"));
                case LINK -> nothing(Files.createSymbolicLink(path, Files.createFile(folder.resolve("elsewhere"))));
                case FIFO -> nothing(Command.run(LIMIT, "mkfifo", path.toString()));
                case SOCKET ->
                    ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
                case DIRECTORY -> nothing(Files.createDirectory(path));
            };
            Files.setAttribute(path, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
            return made;
        }

        private static AutoCloseable nothing(Object made) {
            return () -> {};
        }
    }

    /** If the JVM's user may not remove the file, the JVM cannot create its socket. A JVM of root can. */
    @ParameterizedTest
    @EnumSource
    void fileAtTheSocketPathIsNotRemovedForAnUnprivilegedJvm(Planted planted) throws Exception {
        Privileges.asNobody();
        Path jar = ProfilerJars.scripted(folder, "");
        try (Jvm jvm = Jvm.run("Idle").under(ANOTHER_USER).start()) {
            Path path = Path.of("/tmp/.java_pid" + jvm.pid());
            AutoCloseable there = planted.at(path, folder);
            try {
                Object before = Files.readAttributes(path, "unix:ino,uid,mode,size", LinkOption.NOFOLLOW_LINKS);
                assertThat(refused(jvm))
                        .hasMessageMatching(".*" + path + " is a (file|directory) of user id " + NOBODY
                                + ", which the JVM cannot replace");
                assertThat(Files.readAttributes(path, "unix:ino,uid,mode,size", LinkOption.NOFOLLOW_LINKS))
                        .isEqualTo(before);
                assertUnharmed(jvm);
            } finally {
                there.close();
                Files.delete(path);
            }
            ProfilerClient.attach(Attached.request(jvm, jar, ""));
            ProfilerClient.detach(Math.toIntExact(jvm.pid()), "done", LIMIT);
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void fileAtTheMarkerPathDoesNotPreventAnAttach(Planted planted) throws Exception {
        Privileges.asNobody();
        Path work = Files.createDirectory(folder.resolve("work"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Jvm jvm = Jvm.run("Idle").in(work).under(ANOTHER_USER).start()) {
            Path path = Path.of("/tmp/.attach_pid" + jvm.pid());
            AutoCloseable there = planted.at(path, folder);
            try {
                Attached.to(jvm, folder, "").detach();
                assertThat(Checks.files(work)).isEmpty();
                assertThat(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS))
                        .isEqualTo(NOBODY);
            } finally {
                there.close();
                Files.delete(path);
            }
            assertThat(jvm.stdout()).doesNotContain("Full thread dump");
            assertThat(HostTrace.of(jvm)).isEmpty();
        }
    }

    /**
     * The working directory of the target belongs to root. A file in it that the target's user may write would be a
     * privilege escalation.
     */
    @Test
    void targetInAUserNamespaceGetsNoFileInItsWorkingDirectory() throws Exception {
        Privileges.asNobody();
        Path work = Files.createDirectory(folder.resolve("work"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> under = Denial.with(List.of(ANOTHER_USER), "unshare", "--user");
        Denial.assumeWorks(under);
        try (Jvm jvm =
                Jvm.run("Idle").in(work).under(under.toArray(String[]::new)).start()) {
            Path path = Path.of("/tmp/.attach_pid" + jvm.pid());
            AutoCloseable there = Planted.FILE.at(path, folder);
            try {
                assertThat(refused(jvm)).hasMessageContaining("root does not create a file");
                assertThat(Checks.files(work)).isEmpty();
            } finally {
                there.close();
                Files.delete(path);
            }
            assertUnharmed(jvm);
        }
    }

    /** Without the check, the class would fail only at its first use. */
    @ParameterizedTest
    @MethodSource("jdks")
    @Requirement("A-11")
    void jarWithAClassOfALaterJavaIsRefusedInAdvance(Jdk jdk) throws Exception {
        Path jar = ProfilerJars.withLaterClass(folder.resolve("later.jar"));
        try (Jvm jvm = Jvm.run("Idle").on(jdk).start()) {
            AttachFailed failed = Attached.failure(() -> ProfilerClient.attach(Attached.request(jvm, jar, "")));
            assertThat(failed.status()).isEqualTo(Status.ATTACH_REFUSED);
            assertThat(failed)
                    .hasMessageContaining("mayfly.profilers.testing.Later is built for Java 99; the target runs"
                            + " Java " + jdk.feature());
            assertUnharmed(jvm);
        }
    }

    @Test
    @Requirement("A-11")
    void unreadableJarIsNamed() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        try (Jvm jvm = Jvm.run("Idle").under(asNobody.toArray(String[]::new)).start()) {
            Path jar = ProfilerJars.scripted(folder, "");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-------"));
            List<String> line = new ArrayList<>(List.of("env", "XDG_STATE_HOME=/nowhere"));
            line.addAll(asNobody);
            Command done = LaunchedMayfly.runUnder(
                    line, LIMIT, Path.of("/"), "attach", Long.toString(jvm.pid()), "--profiler", jar.toString());
            assertThat(done.exitCode()).as(done.evidence()).isEqualTo(10 + Status.ATTACH_REFUSED.number());
            assertThat(done.stderr())
                    .contains("no permission to read " + jar, "the log /nowhere/mayfly/events.jsonl cannot be written");
            assertUnharmed(jvm);
        }
    }

    @Test
    @Requirement("A-20")
    void attachToAnotherUsersJvmIsRefused() throws Exception {
        List<String> asNobody = Privileges.asNobody();
        try (Jvm jvm = Jvm.run("Idle").start()) {
            Path jar = ProfilerJars.scripted(folder, "");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            Privileges.giveToNobody(Files.createDirectory(folder.resolve("state")));
            List<String> line = new ArrayList<>(List.of("env", "XDG_STATE_HOME=" + folder.resolve("state")));
            line.addAll(asNobody);
            Command done = LaunchedMayfly.runUnder(
                    line, LIMIT, Path.of("/"), "attach", Long.toString(jvm.pid()), "--profiler", jar.toString());
            assertThat(done.exitCode()).as(done.evidence()).isEqualTo(NOT_PERMITTED);
            assertThat(done.stderr()).contains("not permitted", "it belongs to user id 0", "[not-permitted]");
            assertThat(folder.resolve("state/mayfly/events.jsonl")).content().contains("\"status\":\"ATTACH_REFUSED\"");
            assertUnharmed(jvm);
        }
    }
}
