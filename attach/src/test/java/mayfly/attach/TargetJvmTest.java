package mayfly.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.util.List;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.audit.RunningVm;
import mayfly.process.Mapping;
import mayfly.profile.RuntimeId;
import org.junit.jupiter.api.Test;

/** Which JVM of a process is meant. */
class TargetJvmTest {
    private static RunningVm vm(int number, String version) {
        long start = 0x7f0000000000L + number * 0x10000000L;
        return new RunningVm(new RuntimeId(number), version,
                new Mapping(start, start + 0x1000, true, false, true, 0, "08:01", 7, "/jdk/lib/server/libjvm.so"), start);
    }

    private static final List<RunningVm> TWO = List.of(vm(1, "17.0.15+6"), vm(2, "25.0.3+9"));

    @Test
    void theOneThatIsNamed() throws AttachFailed {
        assertThat(TargetJvm.choose(TWO, List.of(), choice("r2")).version()).isEqualTo("25.0.3+9");
    }

    private static Optional<RuntimeChoice> choice(String words) {
        return Optional.of(new RuntimeChoice(words));
    }

    @Test
    void theOneOfAVersion() throws AttachFailed {
        for (String words : List.of("25", "25.0", "25.0.3+9")) {
            assertThat(TargetJvm.choose(TWO, List.of(), choice(words)).id()).as(words).isEqualTo(new RuntimeId(2));
        }
        for (String words : List.of("2", "25.0.33", "25.0.3+9-LTS", "21")) {
            assertRefused(TWO, List.of(), choice(words), Status.RUNTIME_NOT_LOADED, "no " + words);
        }
        assertRefused(List.of(vm(1, "25.0.3+9"), vm(2, "25.0.3+9")), List.of(), choice("25"),
                Status.ATTACH_REFUSED, "--runtime chooses one");
    }

    @Test
    void whatIsNeitherAnIdNorAVersionIsNone() {
        for (String words : List.of("", "r", "r0", "r-1", "x", "025", "25 ", "25\n", "17/../", "r1r")) {
            assertThatThrownBy(() -> new RuntimeChoice(words)).as(words).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theOnlyOne() throws AttachFailed {
        assertThat(TargetJvm.choose(TWO.subList(0, 1), List.of("another"), Optional.empty()).id()).isEqualTo(new RuntimeId(1));
    }

    @Test
    void ofSeveralNoneIsGuessed() {
        assertRefused(TWO, List.of(), Optional.empty(), Status.ATTACH_REFUSED, "r1 (17.0.15+6), r2 (25.0.3+9): --runtime chooses one");
        assertRefused(TWO, List.of(), choice("r3"), Status.RUNTIME_NOT_LOADED, "r1 (17.0.15+6), r2 (25.0.3+9), no r3");
    }

    @Test
    void whyNoneRunsIsSaid() {
        assertRefused(List.of(), List.of("it has not started"), Optional.empty(), Status.RUNTIME_NOT_LOADED, "it has not started");
    }

    private static void assertRefused(List<RunningVm> running, List<String> problems, Optional<RuntimeChoice> wanted, Status status,
            String words) {
        assertThatThrownBy(() -> TargetJvm.choose(running, problems, wanted)).hasMessageContaining(words)
                .asInstanceOf(type(AttachFailed.class)).extracting(AttachFailed::status).isEqualTo(status);
    }
}
