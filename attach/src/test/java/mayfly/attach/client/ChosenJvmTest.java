package mayfly.attach.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.util.List;
import java.util.Optional;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.profile.RuntimeId;
import mayfly.runtime.FoundRuntime;
import mayfly.runtime.RuntimeProblem;
import org.junit.jupiter.api.Test;

/** The choice of a JVM in a process. */
class ChosenJvmTest {
    private static FoundRuntime vm(int number, String version) {
        StubRuntime runtime = new StubRuntime(number, version);
        return new FoundRuntime(runtime, "Stub", runtime, null, true);
    }

    private static FoundRuntime unreadable(String problem) {
        return new FoundRuntime(
                new StubRuntime(9, ""),
                "Stub",
                null,
                new RuntimeProblem(RuntimeProblem.Reason.STARTING, problem, ""),
                false);
    }

    private static final List<FoundRuntime> TWO = List.of(vm(1, "17.0.15+6"), vm(2, "25.0.3+9"));

    @Test
    void jvmWithTheChosenIdIsReturned() throws AttachFailed {
        assertThat(ChosenJvm.choose(TWO, choice("r2")).runtime().version()).isEqualTo("25.0.3+9");
    }

    private static Optional<RuntimeId.Choice> choice(String words) {
        return Optional.of(new RuntimeId.Choice(words));
    }

    @Test
    void jvmWithTheChosenVersionIsReturned() throws AttachFailed {
        for (String words : List.of("25", "25.0", "25.0.3+9")) {
            assertThat(ChosenJvm.choose(TWO, choice(words)).runtime().id())
                    .as(words)
                    .isEqualTo(new RuntimeId(2));
        }
        for (String words : List.of("2", "25.0.33", "25.0.3+9-LTS", "21")) {
            assertRefused(TWO, choice(words), Reason.NO_SUCH_RUNTIME, "no " + words);
        }
        assertRefused(
                List.of(vm(1, "25.0.3+9"), vm(2, "25.0.3+9")), choice("25"), Reason.AMBIGUOUS, "--runtime chooses one");
    }

    @Test
    void wordsThatAreNeitherAnIdNorAVersionAreRefused() {
        for (String words : List.of(
                "", "r", "r0", "r-1", "x", "025", "25 ", "25\n", "17/../", "r1r", ",", "r1,", ",r1", "r1,,r2", "r1, r2",
                "all,r1", "r1,all")) {
            assertThatThrownBy(() -> new RuntimeId.Choice(words))
                    .as(words)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void onlyRunningJvmIsReturnedWithoutAChoice() throws AttachFailed {
        List<FoundRuntime> found = List.of(TWO.getFirst(), unreadable("another"));
        assertThat(ChosenJvm.choose(found, Optional.empty()).runtime().id()).isEqualTo(new RuntimeId(1));
    }

    @Test
    void severalJvmsWithoutAMatchingChoiceAreRefused() {
        assertRefused(TWO, Optional.empty(), Reason.AMBIGUOUS, "r1 (17.0.15+6), r2 (25.0.3+9): --runtime chooses one");
        assertRefused(TWO, choice("r3"), Reason.NO_SUCH_RUNTIME, "r1 (17.0.15+6), r2 (25.0.3+9), no r3");
    }

    @Test
    void allFitsEachJvmButIsNoChoiceOfOne() throws AttachFailed {
        assertRefused(TWO, Optional.of(RuntimeId.Choice.ALL), Reason.AMBIGUOUS, "r2 (25.0.3+9): --runtime chooses one");
        List<FoundRuntime> one = List.of(TWO.getFirst());
        assertThat(ChosenJvm.choose(one, Optional.of(RuntimeId.Choice.ALL))
                        .runtime()
                        .id())
                .isEqualTo(new RuntimeId(1));
    }

    private static List<RuntimeId> several(String words) throws AttachFailed {
        return ChosenJvm.several(
                List.of(vm(1, "17.0.15+6"), vm(2, "25.0.3+9"), vm(3, "25.0.3+9")), new RuntimeId.Choice(words));
    }

    @Test
    void listChoosesTheJvmOfEachOfItsChoicesOnce() throws AttachFailed {
        List<RuntimeId> outer = List.of(new RuntimeId(1), new RuntimeId(3));
        assertThat(several("r1,r3")).isEqualTo(outer);
        assertThat(several("r3,r1,r3")).isEqualTo(outer);
        assertThat(several("r3,17,r1")).isEqualTo(outer);
        assertThat(several("17,r1")).containsExactly(new RuntimeId(1));
        assertThat(several("all")).hasSize(3);
    }

    @Test
    void listWithAChoiceThatFitsNoneOrSeveralIsRefused() {
        for (String none : List.of("r1,r4", "r4,r1", "17,21")) {
            assertThatThrownBy(() -> several(none)).as(none).hasMessageContaining("r3 (25.0.3+9), no ");
        }
        assertThatThrownBy(() -> several("r1,25")).hasMessageContaining("--runtime chooses one");
    }

    @Test
    void jvmThatHasNotStartedIsRefusedAsByOtherCommands() {
        assertRefused(
                List.of(unreadable("it has not started")),
                Optional.empty(),
                Reason.JVM_STARTING,
                "has no JVM that runs: it has not started");
    }

    @Test
    void destroyedJvmIsNotChosen() throws AttachFailed {
        StubRuntime destroyed = new StubRuntime(1, "17.0.15+6") {
            @Override
            public boolean isDestroyed() {
                return true;
            }
        };
        FoundRuntime first = new FoundRuntime(destroyed, "Stub", destroyed, null, true);
        List<FoundRuntime> found = List.of(first, TWO.get(1));
        assertThat(ChosenJvm.choose(found, Optional.empty()).runtime().id()).isEqualTo(new RuntimeId(2));
        assertRefused(
                List.of(first, TWO.get(1)),
                choice("r1"),
                Reason.NO_SUCH_RUNTIME,
                "the process has r2 (25.0.3+9), no r1; r1 (17.0.15+6) has been destroyed by its program");
        assertThatThrownBy(() -> ChosenJvm.choose(List.of(first), Optional.empty()))
                .hasMessageContaining("has no JVM that runs: r1 (17.0.15+6) has been destroyed")
                .asInstanceOf(type(AttachFailed.class))
                .satisfies(e -> {
                    assertThat(e.status()).isEqualTo(Status.RUNTIME_NOT_LOADED);
                    assertThat(e.refusal()).isEmpty();
                });
    }

    private static void assertRefused(
            List<FoundRuntime> found, Optional<RuntimeId.Choice> wanted, Reason reason, String words) {
        assertThatThrownBy(() -> ChosenJvm.choose(found, wanted))
                .hasMessageContaining(words)
                .asInstanceOf(type(AttachFailed.class))
                .satisfies(e -> assertThat(e.refusal().map(Refused::reason)).contains(reason));
    }
}
