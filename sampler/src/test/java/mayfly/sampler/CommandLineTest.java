package mayfly.sampler;

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
        "java @options Main, Main",
        "java --add-opens java.base/java.lang=ALL-UNNAMED Main, Main",
        "java -javaagent:agent.jar=x=y -Dkey=value Hello.java, Hello.java",
        "java --source 25 Hello.java, Hello.java",
        "java -jar, ''",
        "java -cp, ''",
        "java, ''",
        "java -version, ''",
    })
    void theMainClassIsTheFirstArgumentThatIsNoOption(String line, String main) {
        List<String> arguments = List.of(line.split(" "));
        assertThat(CommandLine.of(arguments)).isEqualTo(new CommandLine(line, main));
    }

    /** A process may erase its own command line. */
    @Test
    void noArgumentsHaveNoMainClass() {
        assertThat(CommandLine.of(List.of())).isEqualTo(new CommandLine("", ""));
    }
}
