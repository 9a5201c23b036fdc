package mayfly.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import mayfly.client.MayflyException.Reason;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The places in which the library searches for the command. */
class InstallationTest {
    @TempDir
    private Path folder;

    private Path one;
    private Path other;
    private Path none;

    @BeforeEach
    void install() throws IOException {
        one = installed("one");
        other = installed("other");
        none = Files.createDirectory(folder.resolve("none"));
        Files.createFile(none.resolve("mayfly")); // not executable
    }

    private Path installed(String name) throws IOException {
        Path command =
                Files.createFile(Files.createDirectory(folder.resolve(name)).resolve("mayfly"));
        assertThat(command.toFile().setExecutable(true)).isTrue();
        return command.getParent();
    }

    private static Path find(String property, String variable, String path) throws MayflyException {
        var properties = new Properties();
        if (!property.isEmpty()) {
            properties.setProperty("mayfly.home", property);
        }
        return Installation.find(properties, Map.of("MAYFLY_HOME", variable, "PATH", path));
    }

    private static MayflyException failure(ThrowingCallable call) {
        MayflyException failure = catchThrowableOfType(MayflyException.class, call);
        assertThat(failure.reason()).isEqualTo(Reason.NOT_INSTALLED);
        assertThat(failure.advice()).contains("mayfly.home", "MAYFLY_HOME", "PATH");
        return failure;
    }

    @Test
    void propertyPrecedesTheVariableAndTheVariablePrecedesThePath() throws MayflyException {
        assertThat(find(one.toString(), other.toString(), "")).isEqualTo(one.resolve("mayfly"));
        assertThat(find("", other.toString(), one.toString())).isEqualTo(other.resolve("mayfly"));
        assertThat(find("", "", none + ":" + folder.resolve("missing") + ":" + one + ":" + other))
                .isEqualTo(one.resolve("mayfly"));
    }

    @Test
    void placeMayBeTheCommandItself() throws MayflyException {
        assertThat(find("", one.resolve("mayfly").toString(), "")).isEqualTo(one.resolve("mayfly"));
        assertThat(Mayfly.at(one).command()).isEqualTo(one.resolve("mayfly"));
        assertThat(Mayfly.at(one.resolve("mayfly")).command()).isEqualTo(one.resolve("mayfly"));
    }

    @Test
    void wrongSettingIsNotOverriddenByAnotherPlace() {
        assertThat(failure(() -> find(none.toString(), other.toString(), one.toString())))
                .hasMessage("Mayfly was not found: the system property mayfly.home is " + none
                        + ", which is neither an executable file nor a folder with an executable file mayfly");
        assertThat(failure(() -> find("", none.toString(), one.toString())))
                .hasMessageContaining(
                        "the system property mayfly.home is not set, and the environment variable MAYFLY_HOME is "
                                + none);
        assertThat(failure(() -> Mayfly.at(none))).hasMessageContaining("the path is " + none);
        assertThat(failure(() -> find("a\0b", "", ""))).hasMessageContaining("mayfly.home");
    }

    @Test
    void failureNamesEveryPlace() {
        String path = none + ":relative::" + folder;
        assertThat(failure(() -> find("", "", path)))
                .hasMessage("Mayfly was not found: neither the system property"
                        + " mayfly.home nor the environment variable MAYFLY_HOME is set, and no folder of PATH has an"
                        + " executable file mayfly: " + path);
    }
}
