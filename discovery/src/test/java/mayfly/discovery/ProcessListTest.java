package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessListTest {
    private static final ProcessUsage BEFORE = new ProcessUsage(1, 2, -1);
    private static final ProcessUsage AFTER = new ProcessUsage(3, 4, 0.5);
    private static final RuntimeRow FOUND =
            new RuntimeRow(4711, null, 0, "", "Main", "old", "root", BEFORE, List.of("an agent"));

    @Test
    void runtimeThatCannotBeReadIsListedWithItsVersion() {
        assertThat(ProcessList.withVersions(
                        FOUND, AFTER, CommandLine.of(List.of("java", "Ignored")), List.of(), "8 (HotSpot 25.504-b01)"))
                .containsExactly(new RuntimeRow(
                        4711, null, 0, "8 (HotSpot 25.504-b01)", "Main", "old", "root", AFTER, List.of("an agent")));
    }

    @Test
    void eachRuntimeIsListedWithItsVersion() {
        var runtimes = List.of(new StubRuntime(new RuntimeId(1), 0x7000), new StubRuntime(new RuntimeId(2), 0x9000));
        assertThat(ProcessList.withVersions(
                        FOUND, AFTER, CommandLine.of(List.of("java", "-jar", "app.jar", "x")), runtimes, "8"))
                .containsExactly(
                        new RuntimeRow(
                                4711,
                                new RuntimeId(1),
                                0x7000,
                                "1.0",
                                "app.jar",
                                "x",
                                "root",
                                AFTER,
                                List.of("an agent")),
                        new RuntimeRow(
                                4711,
                                new RuntimeId(2),
                                0x9000,
                                "1.0",
                                "app.jar",
                                "x",
                                "root",
                                AFTER,
                                List.of("an agent")));
    }

    @Test
    void hostIsListedAtTheRuntimeWhoseLibraryItsRecordNames() {
        RuntimeRow hosted = new RuntimeRow(
                4711,
                null,
                0,
                "",
                "Main",
                "old",
                "root",
                BEFORE,
                List.of("libjdwp.so", "memfd:mayfly-host-0000000000009000"));
        var runtimes = List.of(new StubRuntime(new RuntimeId(1), 0x7000), new StubRuntime(new RuntimeId(2), 0x9000));
        assertThat(ProcessList.withVersions(
                        hosted, AFTER, CommandLine.of(List.of("java", "-jar", "app.jar", "x")), runtimes, "8"))
                .extracting(row -> ProcessList.withWordForHosts(row).attached())
                .containsExactly(List.of("libjdwp.so"), List.of("libjdwp.so", "mayfly"));
    }

    /** The ends of the launcher's command lines and of those of a rendering JVM. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java -Xlog:disable --enable-native-access=ALL-UNNAMED -cp a.jar:b.jar mayfly.cli.Main record 7",
                "java --enable-native-access=mayfly.linux --module-path app --module mayfly.cli/mayfly.cli.Main ps",
                "java -Xmx64m -cp a.jar:b.jar mayfly.cli.file.RenderingMain flamegraph",
                "java -Xmx64m --module-path app --module mayfly.cli/mayfly.cli.file.RenderingMain flamegraph",
            })
    void mayflysOwnJvmsAreRecognized(String line) {
        assertThat(ProcessList.isMayfly(CommandLine.of(List.of(line.split(" ")))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"java -cp x org.example.Main mayfly.cli.Main", "java -jar mayfly.jar", "java"})
    void otherJvmsAreNotRecognizedAsMayflys(String line) {
        assertThat(ProcessList.isMayfly(CommandLine.of(List.of(line.split(" ")))))
                .isFalse();
    }
}
