package mayfly.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.process.replay.RecordedProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each recorded walk has its expected frames. With -Dgolden=write, the test writes the actual frames as the expected
 * ones.
 */
class CorpusTest {

    static List<Case> cases() throws IOException {
        return Case.in(Record.recordings());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void recordedWalkReplaysToTheExpectedFrames(Case one) throws Exception {
        RecordedProcess process = one.open();
        List<String> found = Replay.of(process).lines(process.snapshot());
        if ("write".equals(System.getProperty("golden"))) {
            one.expect(found);
        }
        assertThat(found).as("%s", one).isEqualTo(one.expected());
    }

    @Test
    void corpusHasTheDifficultCasesOnBothJdks() throws IOException {
        for (String jdk : List.of("jdk17", "jdk25")) {
            Set<String> names = cases().stream()
                    .filter(one -> one.toString().startsWith(jdk))
                    .map(Case::name)
                    .collect(Collectors.toSet());
            assertThat(names)
                    .as(jdk)
                    .contains(
                            "leaf-interpreted",
                            "leaf-c1",
                            "leaf-c2",
                            "leaf-inlined",
                            "native-method",
                            "through-call-stub",
                            "compiled-from-interpreted",
                            "interpreted-from-compiled",
                            "deep",
                            "on-vtable-stub",
                            "through-safepointblob",
                            "leaf-index-of");
            assertThat(names).as(jdk).anyMatch(name -> name.startsWith("on-")).anyMatch(name -> name.startsWith("at-"));
        }
    }
}
