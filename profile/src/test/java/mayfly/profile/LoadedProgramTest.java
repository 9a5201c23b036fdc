package mayfly.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadedProgramTest {
    @ParameterizedTest
    @CsvSource({
        "/usr/bin/java -jar a.jar, 0, java",
        "/lib64/ld-linux-x86-64.so.2 --inhibit-cache --library-path /opt/l /opt/j/bin/java -jar a.jar, 4, java",
        "/lib64/ld-linux-x86-64.so.2 --argv0 x ./tool, 3, tool",
        "/lib64/ld-linux-x86-64.so.2 --version, 2, ld-linux-x86-64.so.2",
    })
    void programFollowsTheLoaderAndItsOptions(String command, int position, String name) {
        List<String> arguments = List.of(command.split(" "));
        assertThat(LoadedProgram.position(arguments)).isEqualTo(position);
        assertThat(LoadedProgram.name(arguments)).isEqualTo(name);
    }

    @Test
    void emptyCommandLineHasNoProgram() {
        assertThat(LoadedProgram.name(List.of())).isEmpty();
    }
}
