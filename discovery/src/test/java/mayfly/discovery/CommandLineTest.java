package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTest {

    @ParameterizedTest
    @CsvSource({
        "java Main, Main",
        "java -Xmx1g -cp a.jar:b.jar com.example.Main arg, com.example.Main",
        "java -classpath x --module-path y --add-modules z Main, Main",
        "java --class-path=x Main -jar no, Main",
        "java -XX:+UseZGC -jar app.jar server, app.jar",
        "java -m mod/pkg.Main, mod/pkg.Main",
        "java --module mod/pkg.Main x, mod/pkg.Main",
        "java @options Main, ''",
        "java --add-opens java.base/java.lang=ALL-UNNAMED Main, Main",
        "java -javaagent:agent.jar=x=y -Dkey=value Hello.java, Hello.java",
        "java --source 25 Hello.java, Hello.java",
        "/x/ld-linux-x86-64.so.2 --library-path /x /y/bin/java -cp z Main, Main",
        "ld-linux-x86-64.so.2 --inhibit-cache /y/bin/java -jar app.jar, app.jar",
        "ld-linux-x86-64.so.2 --argv0, ''",
        "java -jar, ''",
        "java -cp, ''",
        "java, ''",
        "java -version, ''",
    })
    void theMainClassIsTheFirstArgumentThatIsNoOption(String line, String main) {
        List<String> arguments = List.of(line.split(" "));
        assertThat(CommandLine.of(arguments).text()).isEqualTo(line);
        assertThat(CommandLine.of(arguments).mainClass()).isEqualTo(main);
    }

    @ParameterizedTest
    @CsvSource({
        "java Main, ''",
        "java -cp a.jar Main --port 80 -jar x, --port 80 -jar x",
        "java -jar app.jar server 1, server 1",
        "java -jar, ''",
        "java @options, ''",
    })
    void theArgumentsFollowTheMainClass(String line, String arguments) {
        assertThat(CommandLine.of(List.of(line.split(" "))).arguments()).isEqualTo(arguments);
    }

    @Test
    void nonJavaProgramIsNamedByItsExecutable() {
        assertThat(CommandLine.ofOtherProgram(List.of("/opt/ide/bin/ide", "project")))
                .isEqualTo(new CommandLine("/opt/ide/bin/ide project", "ide", "project"));
    }

    @ParameterizedTest
    @CsvSource({
        "org.example.Main a b, java -cp x org.example.Main a b, org.example.Main",
        "Main, java @options, Main",
        "mod/pkg.Main x, java -m mod/pkg.Main x, mod/pkg.Main",
        "/my apps/app.jar server, java -jar /my apps/app.jar server, /my apps/app.jar",
        "/my apps/app.jar, java -Xmx1g -jar /my apps/app.jar, /my apps/app.jar",
        "Main a.jar b, java Main a.jar b, Main",
    })
    void runtimeCommandNamesTheMainClass(String command, String line, String main) {
        assertThat(CommandLine.mainClass(command, line)).isEqualTo(main);
    }

    @Test
    void scriptToStartIsNamedByItsFile() {
        assertThat(CommandLine.ofCommand(List.of("./s.sh", "alpha", "beta")).mainClass())
                .isEqualTo("s.sh");
        assertThat(CommandLine.ofCommand(List.of("/opt/jdk/bin/java", "Main", "x"))
                        .mainClass())
                .isEqualTo("Main");
    }

    /** A process may erase its own command line. */
    @Test
    void emptyCommandLineHasNoMainClass() {
        assertThat(CommandLine.of(List.of())).isEqualTo(new CommandLine("", "", ""));
    }
}
