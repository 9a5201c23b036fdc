package mayfly.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher in a checkout of its own, with JDKs that are scripts: they print how they are called. */
@Tag("slow")
class LauncherTest {
    private static final int NOBODY = 65534;

    private record Ran(int status, String out, String err) {}

    @TempDir
    Path dir;

    private Path checkout = Path.of("");

    @BeforeEach
    void copyTheLauncher() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no /bin/sh");
        checkout = Files.createDirectories(dir.resolve("check out"));
        Path sources = Path.of("").toAbsolutePath().getParent();
        Files.copy(sources.resolve("mayfly"), checkout.resolve("mayfly"));
        Files.createDirectories(checkout.resolve("cli/src/main"));
        Files.copy(sources.resolve("cli/src/main/jvm-options"), checkout.resolve("cli/src/main/jvm-options"));
        executable(checkout.resolve("mayfly"));
    }

    @Test
    void oldJavaHomeIsSkippedForANewerJdk() throws Exception {
        pretendBuilt();
        Path old = jdk("old", "17.0.15");
        Path recent = jdk("home/.jdks/recent", "25.0.3");
        Ran ran = run(
                Map.of(
                        "MAYFLY_PRINT_JAVA",
                        "1",
                        "JAVA_HOME",
                        old.toString(),
                        "HOME",
                        dir.resolve("home").toString()),
                "ps");
        assertThat(ran.err()).isEmpty();
        // The machine that runs this test has a JDK in one of the usual places, which takes precedence over the one in
        // the home directory.
        assertThat(ran.out().strip())
                .satisfiesAnyOf(
                        java -> assertThat(java).isEqualTo(recent + "/bin/java"),
                        java -> assertThat(java).startsWith("/usr/lib/jvm/").endsWith("/bin/java"));
    }

    @Test
    void mayflyJavaHomeIsPreferred() throws Exception {
        pretendBuilt();
        Path chosen = jdk("chosen", "26-ea");
        Ran ran = run(Map.of("MAYFLY_JAVA_HOME", chosen.toString()), "record", "a b", "--", "*");
        assertThat(ran.out()).startsWith(chosen + "/bin/java").endsWith("record a b -- *\n");
        assertThat(ran.status()).isZero();
    }

    @Test
    void withoutAJdkTheExitCodeIs69AndOneLineSaysWhatToDo() throws Exception {
        pretendBuilt();
        Ran ran = run(Map.of("MAYFLY_JAVA_HOME", jdk("old", "17").toString()), "ps");
        assertThat(ran.status()).isEqualTo(69);
        assertThat(ran.err()).contains("is not a JDK 25 or later").hasLineCount(1);
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void javaToolOptionsAreHiddenFromTheLaunchedJvm() throws Exception {
        pretendBuilt();
        Path jdk = jdk("chosen", "25");
        Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\nenv\n");
        Ran ran = run(Map.of("MAYFLY_JAVA_HOME", jdk.toString(), "JAVA_TOOL_OPTIONS", "-Dx='a b'"), "ps");
        assertThat(ran.out().lines())
                .contains("MAYFLY_KEPT_JAVA_TOOL_OPTIONS=-Dx='a b'")
                .noneMatch(line -> line.startsWith("JAVA_TOOL_OPTIONS="));
    }

    @Test
    void aotCacheIsUsedOnlyIfItExists() throws Exception {
        pretendBuilt();
        var environment = Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString());
        assertThat(run(environment, "ps").out()).doesNotContain("AOTCache");
        Files.createFile(checkout.resolve("cli/target/app/mayfly.aot"));
        assertThat(run(environment, "ps").out()).contains("-XX:AOTCache=" + checkout);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "dash", "bash"})
    void launcherPassesTerminalWidth(String shell) throws Exception {
        for (String program : List.of("script", "stty", shell)) {
            assumeTrue(
                    Stream.of("/bin", "/usr/bin").anyMatch(bin -> Files.isExecutable(Path.of(bin, program))),
                    "no " + program);
        }
        pretendBuilt();
        String line = "stty cols 53; exec " + shell + " '" + checkout.resolve("mayfly") + "' ps";
        // script(1) runs the line in a pseudo-terminal.
        Ran ran = run(
                new ProcessBuilder("script", "-qec", line, "/dev/null"),
                Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString(), "SHELL", "/bin/sh"));
        assertThat(ran.out()).contains("-Dmayfly.stdout.tty=true -Dmayfly.columns=53 ");
        assertThat(ran.status()).isZero();
    }

    @Test
    void launcherStartedThroughASymlinkFindsItsCheckout() throws Exception {
        pretendBuilt();
        Path bin = Files.createDirectories(dir.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("mf"), Path.of("../check out/mayfly"));
        var process = new ProcessBuilder(bin.resolve("mf").toString(), "ps");
        Ran ran = run(process, Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString()));
        assertThat(ran.out()).contains(checkout + "/cli/target/app");
    }

    @Test
    void freshCheckoutIsBuiltOnceWithAMessageOnStderr() throws Exception {
        var environment =
                Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString(), "PATH", mvn("exit 0") + ":/usr/bin:/bin");
        Ran first = run(environment, "ps");
        assertThat(first.err()).contains("building, once");
        assertThat(first.out()).endsWith("Main ps\n");
        Ran second = run(environment, "ps");
        assertThat(second.err()).isEmpty();
    }

    /** The program that "mayfly run" starts must have the user's JAVA_HOME. */
    @Test
    void mavenAloneGetsTheJdkThatRunsMayfly() throws Exception {
        Path jdk = jdk("chosen", "25");
        Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"${JAVA_HOME-none}\"\n");
        executable(Files.createFile(jdk.resolve("bin/javac")));
        String path = mvn("echo \"$JAVA_HOME\" >home; exit 0") + ":/usr/bin:/bin";
        Ran ran = run(Map.of("MAYFLY_JAVA_HOME", jdk.toString(), "PATH", path), "ps");
        assertThat(checkout.resolve("home")).hasContent(jdk.toString());
        assertThat(ran.out()).isEqualTo("none\n");
    }

    @Test
    void runtimeWithoutACompilerIsNotTheJdkOfMaven() throws Exception {
        String path = mvn("echo \"${JAVA_HOME-none}\" >home; exit 0") + ":/usr/bin:/bin";
        run(Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString(), "PATH", path), "ps");
        assertThat(checkout.resolve("home")).hasContent("none");
    }

    @Test
    void failedBuildExitsWith1AndStartsNothing() throws Exception {
        var environment =
                Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString(), "PATH", mvn("exit 7") + ":/usr/bin:/bin");
        Ran ran = run(environment, "ps");
        assertThat(ran.status()).isEqualTo(1);
        assertThat(ran.err()).contains("[build-failed]");
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void outdatedBuildIsRebuilt() throws Exception {
        pretendBuilt();
        Path source = Files.createDirectories(checkout.resolve("cli/src/main")).resolve("A.java");
        Files.createFile(source);
        Files.setLastModifiedTime(
                source, java.nio.file.attribute.FileTime.fromMillis(System.currentTimeMillis() + 60_000));
        var environment =
                Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString(), "PATH", mvn("exit 0") + ":/usr/bin:/bin");
        assertThat(run(environment, "ps").err()).contains("building");
    }

    @Test
    void lockOnTheLauncherScriptDoesNotBlockTheBuild() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/flock")), "no flock");
        Process holder = new ProcessBuilder(
                        "flock", checkout.resolve("mayfly").toString(), "sh", "-c", "echo held; cat")
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("held");
            var environment = Map.of(
                    "MAYFLY_JAVA_HOME", jdk("chosen", "25").toString(), "PATH", mvn("exit 0") + ":/usr/bin:/bin");
            assertThat(run(environment, "ps").out()).endsWith("Main ps\n");
            assertThat(holder.isAlive()).isTrue();
        } finally {
            holder.destroyForcibly();
        }
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(checkout.resolve("cli/target/build.lock"))))
                .isEqualTo("rw-------");
    }

    @Test
    @Tag("privileged")
    void rootIsWarnedOfACheckoutOfAnotherUser() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(dir, "unix:uid")), "needs root");
        pretendBuilt();
        var environment = Map.of("MAYFLY_JAVA_HOME", jdk("chosen", "25").toString());
        assertThat(run(environment, "ps").err()).isEmpty();
        Files.setAttribute(checkout.resolve("mayfly"), "unix:uid", NOBODY);
        Ran ran = run(environment, "ps");
        assertThat(ran.err()).contains("belongs to user id " + NOBODY, "[other-owner]");
        assertThat(ran.out()).endsWith("Main ps\n");
    }

    /** If root built for a user, the user could not build again. */
    @Test
    @Tag("privileged")
    void buildUnderSudoRunsAsTheInvokingUser() throws Exception {
        assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(dir, "unix:uid")), "needs root: to be under sudo");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/sudo")), "no sudo");
        String path = mvn("id -u >who; echo \"$HOME\" >>who; exit 0") + ":/usr/bin:/bin";
        Files.createDirectories(checkout.resolve("cli"));
        var environment = Map.of(
                "MAYFLY_JAVA_HOME",
                jdk("chosen", "25").toString(),
                "PATH",
                path,
                "SUDO_UID",
                Integer.toString(NOBODY),
                "HOME",
                "/root");
        Process given = new ProcessBuilder("chown", "-R", Integer.toString(NOBODY), dir.toString())
                .inheritIO()
                .start();
        assertThat(given.waitFor()).isZero();
        Ran ran = run(environment, "ps");
        assertThat(ran.status()).as(ran.err()).isZero();
        assertThat(Files.readAllLines(checkout.resolve("who")))
                .containsExactly(Integer.toString(NOBODY), "/nonexistent");
        try (Stream<Path> all = Files.walk(checkout)) {
            assertThat(all)
                    .allSatisfy(each ->
                            assertThat(Files.getAttribute(each, "unix:uid")).isEqualTo(NOBODY));
        }
    }

    private void pretendBuilt() throws IOException {
        Files.createDirectories(checkout.resolve("cli/target/app"));
        Files.createFile(checkout.resolve("cli/target/app/built"));
    }

    /** Creates a script in place of Maven. It ends with this line, and builds if that is {@code exit 0}. */
    private Path mvn(String end) throws IOException {
        Path bin = Files.createDirectories(dir.resolve("maven"));
        String built = end.endsWith("exit 0") ? "mkdir -p cli/target/app && touch cli/target/app/built\n" : "";
        Files.writeString(bin.resolve("mvn"), "#!/bin/sh\n" + built + end + "\n");
        executable(bin.resolve("mvn"));
        return bin;
    }

    private Path jdk(String name, String version) throws IOException {
        Path home = Files.createDirectories(dir.resolve(name));
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.writeString(home.resolve("bin/java"), "#!/bin/sh\necho \"$0 $*\"\n");
        executable(home.resolve("bin/java"));
        return home;
    }

    private static void executable(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Ran run(Map<String, String> environment, String... args) throws Exception {
        var process = new ProcessBuilder(checkout.resolve("mayfly").toString());
        process.command().addAll(List.of(args));
        return run(process, environment);
    }

    private Ran run(ProcessBuilder builder, Map<String, String> environment) throws Exception {
        for (String variable :
                List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_HOME", "MAYFLY_NO_BUILD", "SUDO_UID")) {
            builder.environment().remove(variable);
        }
        builder.environment().putAll(environment);
        builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
        Path err = dir.resolve("err");
        builder.redirectError(err.toFile());
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out, Files.readString(err));
    }
}
