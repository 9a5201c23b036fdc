package mayfly.cli.help;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import mayfly.cli.Captured;
import mayfly.cli.command.Command;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The completion scripts in their shells; a program called mayfly on the PATH prints two JVMs. */
class CompletionTest {
    private static final String PS = """
        #!/bin/sh
        echo 'PID  RUNTIME  VERSION  USER  ATTACHED  MAIN CLASS'
        echo '4711  r1  25.0.3  alice  -  org.example.Orders'
        echo '812  r1  17.0.15  bob  -  mill.jar'
        """;

    @TempDir
    Path dir;

    @BeforeEach
    void putMayflyOnThePath() throws IOException {
        Path program = Files.writeString(dir.resolve("mayfly"), PS);
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private static void requireShell(String shell) {
        assumeTrue(
                Stream.of("/bin/", "/usr/bin/").anyMatch(folder -> Files.isExecutable(Path.of(folder + shell))),
                "no " + shell + " on this machine");
    }

    private String script(String shell) throws IOException {
        var captured = new Captured();
        assertThat(captured.run("completion", shell)).isZero();
        return Files.writeString(dir.resolve("script"), captured.out()).toString();
    }

    private List<String> run(String... command) throws Exception {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().merge("PATH", dir + ":", (path, ours) -> ours + path);
        builder.environment().put("HOME", dir.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(process.waitFor()).as(() -> String.join("\n", lines)).isZero();
        return lines;
    }

    private List<String> bash(String... words) throws Exception {
        String typed = String.join("' '", words);
        return run(
                "bash",
                "-c",
                ". " + script("bash") + "; COMP_WORDS=('mayfly' '" + typed + "'); COMP_CWORD="
                        + words.length
                        + "; _mayfly; printf '%s\\n' \"${COMPREPLY[@]}\"");
    }

    @Test
    @Tag("slow")
    void bashCompletesCommandsOptionsWordsAndJvms() throws Exception {
        requireShell("bash");
        assertThat(bash("re")).containsExactly("record", "report");
        assertThat(bash("help", "st")).containsExactly("stack", "status");
        assertThat(bash("record", "--ou")).containsExactly("--output");
        assertThat(bash("record", "-e", ""))
                .containsExactly("cpu", "wall", "off-cpu", "lock", "safepoint", "gc", "alloc", "alloc-class");
        assertThat(bash("record", "4")).containsExactly("4711");
        assertThat(bash("stack", "")).containsExactly("4711", "812");
        assertThat(bash("convert", dir + "/may")).containsExactly(dir + "/mayfly");
        assertThat(bash("run", "--", "mayfl")).containsExactly("mayfly");
    }

    @Test
    @Tag("slow")
    void fishCompletesCommandsOptionsWordsAndJvms() throws Exception {
        requireShell("fish");
        String source = "source " + script("fish") + "; complete -C '";
        assertThat(run("fish", "--no-config", "-c", source + "mayfly re'"))
                .extracting(line -> line.split("\t")[0])
                .containsExactly("record", "report");
        assertThat(run("fish", "--no-config", "-c", source + "mayfly help st'")).containsExactly("stack", "status");
        assertThat(run("fish", "--no-config", "-c", source + "mayfly record --ou'"))
                .singleElement()
                .asString()
                .startsWith("--output\t");
        assertThat(run("fish", "--no-config", "-c", source + "mayfly record -e '"))
                .extracting(line -> line.split("\t")[0])
                .containsExactly("alloc", "alloc-class", "cpu", "gc", "lock", "off-cpu", "safepoint", "wall");
        assertThat(run("fish", "--no-config", "-c", source + "mayfly stack 4'"))
                .containsExactly("4711\torg.example.Orders");
    }

    @Test
    @Tag("slow")
    void zshCompletesCommandsAndJvms() throws Exception {
        requireShell("zsh");
        // The functions of the completion system need a line editor; these stubs print the candidates instead.
        String stubs = "compdef() { :; }; _arguments() { print -l -- \"$@\"; }; _describe() { print -l -- ${(P)2}; }; ";
        String load = stubs + "source " + script("zsh") + "; ";
        assertThat(run("zsh", "-f", "-c", load + "words=(mayfly re); CURRENT=2; _mayfly"))
                .anyMatch(line -> line.startsWith("record:"))
                .hasSize(Command.values().length);
        assertThat(run("zsh", "-f", "-c", load + "words=(mayfly help st); CURRENT=3; _mayfly"))
                .anyMatch(line -> line.startsWith("status:"));
        assertThat(run("zsh", "-f", "-c", load + "words=(mayfly record x); CURRENT=3; _mayfly"))
                .anyMatch(line -> line.contains("--output["))
                .contains(":PID|NAME:_mayfly_jvms");
        assertThat(run("zsh", "-f", "-c", load + "_mayfly_jvms")).contains("4711:org.example.Orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void everyCommandAndLongOptionIsInTheScript(String shell) throws IOException {
        String script = Files.readString(Path.of(script(shell)));
        for (Command command : Command.values()) {
            assertThat(script).contains(command.word());
            command.parser().getCommandSpec().optionsMap().keySet().stream()
                    .filter(name -> name.startsWith("--"))
                    .forEach(name -> assertThat(script).containsAnyOf(name, "-l " + name.substring(2)));
        }
    }

    @Test
    void unknownShellIsRefusedWithTheKnownOnes() {
        var captured = new Captured();
        assertThat(captured.run("completion", "tcsh")).isEqualTo(2);
        assertThat(captured.err()).contains("bash, zsh or fish");
    }
}
