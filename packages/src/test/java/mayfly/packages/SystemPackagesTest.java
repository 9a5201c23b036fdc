package mayfly.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.packages.SystemFiles.Family;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packages for Debian and for RPM as the systems' own programs read them. */
@Tag("slow")
class SystemPackagesTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private Path deb = Path.of("");
    private Path rpm = Path.of("");

    @BeforeEach
    void writePackages() throws IOException {
        SmallArchive.writeTo(folder);
        Archive archive = SmallArchive.unpacked(folder);
        Path bill = Files.writeString(folder.resolve("bill"), "{}");
        Path work = Files.createDirectories(folder.resolve("work"));
        SystemFiles files = new SystemFiles(archive, bill, work);
        deb = folder.resolve(DebPackage.fileName(SmallArchive.PRODUCT));
        rpm = folder.resolve(RpmPackage.fileName(SmallArchive.PRODUCT));
        DebPackage.write(deb, files.of(Family.DEBIAN), SmallArchive.PRODUCT, archive, work);
        RpmPackage.write(rpm, files.of(Family.RPM), SmallArchive.PRODUCT, archive);
    }

    private static String run(String program, String... arguments) {
        assumeThat(Stream.of("/usr/bin/", "/bin/").map(folder -> Path.of(folder + program)))
                .as(program + ", which reads the package, is not installed")
                .anyMatch(Files::isExecutable);
        String[] command =
                Stream.concat(Stream.of(program), Stream.of(arguments)).toArray(String[]::new);
        Command done = Command.run(LIMIT, command);
        assertThat(done.exitCode()).as(done::evidence).isZero();
        return done.stdout();
    }

    @Test
    void debHasTheFieldsThatPolicyRequiresAndDependsOnNothing() {
        assertThat(run("dpkg-deb", "--field", deb.toString()))
                .contains(
                        "Package: mayfly",
                        "Version: 1.2.3~snapshot",
                        "Architecture: amd64",
                        "Maintainer: Mayfly maintainers <maintainers@mayfly.example>",
                        "Section: devel",
                        "Priority: optional",
                        "Installed-Size:",
                        "Description: profiler that")
                .doesNotContain("Depends");
    }

    @Test
    void debHasFilesOfRootWithModesAndTimeOfTheArchive() {
        assertThat(run("dpkg-deb", "--contents", deb.toString()).lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "-rwxr-xr-x root/root 8 " + time() + " ./usr/lib/mayfly/mayfly",
                        "-rw-r--r-- root/root 3 " + time() + " ./usr/lib/mayfly/app/mayfly-cli-1.2.3.jar",
                        "lrwxrwxrwx root/root 0 " + time() + " ./usr/bin/mayfly -> ../lib/mayfly/mayfly",
                        "lrwxrwxrwx root/root 0 " + time() + " ./usr/lib/mayfly/runtime/legal/COPY -> LICENSE",
                        "drwxr-xr-x root/root 0 " + time() + " ./usr/lib/mayfly/app/")
                .anyMatch(line -> line.endsWith(" ./usr/share/man/man1/mayfly.1.gz"))
                .anyMatch(line -> line.endsWith(" ./usr/share/doc/mayfly/copyright"))
                .anyMatch(line -> line.endsWith(" ./usr/share/bash-completion/completions/mayfly"))
                .anyMatch(line -> line.endsWith(" ./usr/share/zsh/vendor-completions/_mayfly"))
                .anyMatch(line -> line.endsWith(" ./usr/share/fish/vendor_completions.d/mayfly.fish"))
                .allMatch(line -> line.contains(" root/root ") && line.contains(time()));
    }

    @Test
    void debUnpacksToTheBytesOfTheArchive() {
        Path target = folder.resolve("deb");
        run("dpkg-deb", "--extract", deb.toString(), target.toString());
        assertThat(target.resolve("usr/bin/mayfly")).hasContent("launcher");
        assertThat(target.resolve("usr/share/doc/mayfly/copyright"))
                .content()
                .contains("/usr/lib/mayfly", "The licence of each part", "Apache License");
    }

    @Test
    void rpmRequiresOnlyFeaturesOfRpm() {
        assertThat(run("rpm", "-qp", "--requires", rpm.toString()).lines())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("rpmlib("));
    }

    @Test
    void rpmHasNameVersionLicenceAndTime() {
        assertThat(run(
                        "rpm",
                        "-qp",
                        "--queryformat",
                        "%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{BUILDHOST} %{BUILDTIME} %{LICENSE}",
                        rpm.toString()))
                .isEqualTo("mayfly 1.2.3~snapshot 1 x86_64 localhost " + SmallArchive.TIME.getEpochSecond() + " "
                        + Product.LICENSES);
        assertThat(run("rpm", "--checksig", rpm.toString())).contains("digests OK");
    }

    @Test
    void rpmHasFilesOfRootWithModesAndLinks() {
        String files = run(
                "rpm",
                "-qp",
                "--queryformat",
                "[%{FILEMODES:perms} %{FILEUSERNAME} %{FILEMTIMES} %{FILENAMES} %{FILELINKTOS}\n]",
                rpm.toString());
        long time = SmallArchive.TIME.getEpochSecond();
        assertThat(files.lines().map(String::strip))
                .contains(
                        "-rwxr-xr-x root " + time + " /usr/lib/mayfly/mayfly",
                        "lrwxrwxrwx root " + time + " /usr/bin/mayfly ../lib/mayfly/mayfly",
                        "drwxr-xr-x root " + time + " /usr/lib/mayfly/app",
                        "-rw-r--r-- root " + time + " /usr/share/zsh/site-functions/_mayfly",
                        "-rw-r--r-- root " + time + " /usr/share/licenses/mayfly/LICENSES")
                .allMatch(line -> line.contains(" root " + time + " /"));
    }

    /** The tools print times in this machine's time zone. */
    private static String time() {
        return SmallArchive.TIME.atZone(ZoneId.systemDefault()).format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm"));
    }
}
