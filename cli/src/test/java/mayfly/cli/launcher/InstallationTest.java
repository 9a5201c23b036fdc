package mayfly.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InstallationTest {
    private static final Path JAVA_HOME = Path.of("/opt/a folder/runtime");

    @Test
    void checkoutStartsTheJavaOfItsJdkAndHasNoGate() {
        var checkout = new Installation(Path.of("/jdk"), null);
        assertThat(checkout.java()).containsExactly("/jdk/bin/java");
        assertThat(checkout.gate()).isEmpty();
    }

    @Test
    void archiveStartsJavaByItsOwnLoaderAndHasAGate() {
        var archive = new Installation(JAVA_HOME, Path.of("/opt/a folder"));
        String glibc = "/opt/a folder/runtime/glibc";
        assertThat(archive.java())
                .containsExactly(
                        glibc + "/ld-linux-x86-64.so.2",
                        "--inhibit-cache",
                        "--library-path",
                        glibc,
                        "/opt/a folder/runtime/bin/java");
        assertThat(archive.gate()).containsExactly("/opt/a folder/app/gate");
    }

    @Test
    void keptVariablesHaveTheirOwnNamesAgain() {
        assertThat(KeptVariables.of(Map.of(
                        "MAYFLY_KEPT_JAVA_TOOL_OPTIONS",
                        "-Da=b",
                        "MAYFLY_KEPT_LD_PRELOAD",
                        "x.so",
                        "HOME",
                        "/root",
                        "MAYFLY_DEBUG",
                        "1")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("JAVA_TOOL_OPTIONS", "-Da=b", "LD_PRELOAD", "x.so"));
    }
}
