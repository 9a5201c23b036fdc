package mayfly.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import mayfly.linux.ProcessUnavailable.Owner;
import mayfly.linux.proc.Permissions;
import org.junit.jupiter.api.Test;

class DoctorAdviceTest {
    private static final long ALL_CAPABILITIES = -1;

    private static Permissions permissions(int euid, long capabilities, boolean seccomp, long paranoid, long yama) {
        return new Permissions(
                paranoid, 100_000, 516, yama, 0, euid, capabilities, 1024, 4096, -1, 2, "6.12", seccomp, false, false);
    }

    private static List<String> refusals(DoctorAdvice advice) {
        return List.of(
                advice.forMemory(),
                advice.forPtrace(),
                advice.forPerThread(),
                advice.forSystemWide(),
                advice.forNoCollector());
    }

    private static List<String> all(DoctorAdvice advice) {
        var all = new ArrayList<>(refusals(advice));
        all.add(advice.forPtraceScope());
        all.add(advice.forSampleRate());
        return all;
    }

    @Test
    void adviceForRootIsNeverToBeRoot() {
        for (long capabilities : new long[] {0, ALL_CAPABILITIES}) {
            for (long paranoid : new long[] {2, 4}) {
                for (long yama : new long[] {-1, 1}) {
                    assertThat(all(new DoctorAdvice(permissions(0, capabilities, false, paranoid, yama), false)))
                            .noneMatch(text -> text.contains("as root") || text.isEmpty());
                }
            }
        }
    }

    @Test
    void adviceForRootWithoutCapabilitiesIsToChangeTheSettingsOfTheHost() {
        var advice = new DoctorAdvice(permissions(0, 0, false, 4, 1), false);
        assertThat(advice.forPerThread()).contains("on the host: sysctl kernel.perf_event_paranoid=2");
        assertThat(advice.forMemory()).contains("on the host: sysctl kernel.yama.ptrace_scope=0");
        assertThat(advice.forPtraceScope()).startsWith("on the host: sysctl kernel.yama.ptrace_scope=0");
        assertThat(advice.forSampleRate()).startsWith("on the host: sysctl kernel.perf_event_max_sample_rate=");
    }

    @Test
    void adviceInAContainerWithAllCapabilitiesIsToChangeTheSettingsOfTheHost() {
        var root = new DoctorAdvice(inContainer(0, ALL_CAPABILITIES), false);
        assertThat(root.forSampleRate()).startsWith("on the host: sysctl kernel.perf_event_max_sample_rate=");
        var user = new DoctorAdvice(inContainer(1000, 0), false);
        assertThat(user.forPtraceScope()).startsWith("on the host, as root: sysctl kernel.yama.ptrace_scope=0");
    }

    private static Permissions inContainer(int euid, long capabilities) {
        return new Permissions(
                4, 100_000, 516, 1, 0, euid, capabilities, 1024, 4096, -1, 2, "6.12", false, false, true);
    }

    @Test
    void adviceForAnotherOwnerInAContainerNamesTheUserAndTheEnginesOptions() {
        assertThat(new DoctorAdvice(inContainer(0, 0), true).forOwner(new Owner(1000, 1001)))
                .startsWith("run Mayfly as user 1000 and group 1001, with no fewer capabilities than the JVM's")
                .contains("docker run --user 1000:1001, or runAsUser", "--cap-add SYS_PTRACE");
    }

    @Test
    void adviceForTheSameOwnerInAContainerIsToDropNoCapability() {
        assertThat(new DoctorAdvice(inContainer(1000, 0), true).forOwner(new Owner(1000, 1000)))
                .contains("drop no capability that it has")
                .doesNotContain("docker run --user");
    }

    @Test
    void adviceForAnotherOwnerOutsideAContainerNamesTheUserOrRoot() {
        var advice = new DoctorAdvice(permissions(1, 0, false, 2, -1), true);
        assertThat(advice.forOwner(new Owner(1000, 1000))).isEqualTo("run Mayfly as user 1000, or as root");
        assertThat(advice.forOwner(new Owner(1, 1))).isEqualTo("run Mayfly as root");
    }

    @Test
    void adviceForTheScopeThatForbidsTracingToAllIsToRestartTheMachine() {
        for (int euid : new int[] {0, 1000}) {
            var advice = new DoctorAdvice(permissions(euid, euid == 0 ? ALL_CAPABILITIES : 0, false, 2, 3), false);
            assertThat(advice.forMemory())
                    .contains("until the machine restarts")
                    .doesNotContain("sysctl kernel", "mayfly run");
            assertThat(advice.forPtraceScope())
                    .isEqualTo(advice.forMemory().lines().findFirst().orElseThrow());
        }
    }

    @Test
    void adviceForRootWithAllCapabilitiesOmitsSettingsThatDoNotRestrictRoot() {
        var advice = new DoctorAdvice(permissions(0, ALL_CAPABILITIES, false, 4, 1), false);
        assertThat(advice.forPerThread()).contains("security module").doesNotContain("sysctl");
        assertThat(advice.forSampleRate()).startsWith("sysctl kernel.perf_event_max_sample_rate=");
    }

    @Test
    void adviceForRootWithAllCapabilitiesOmitsContainers() {
        assertThat(refusals(new DoctorAdvice(permissions(0, ALL_CAPABILITIES, false, 2, -1), false)))
                .noneMatch(text -> text.contains("container"))
                .allMatch(text -> text.contains("security module"));
    }

    @Test
    void adviceForRootNamesMissingCapabilitiesAndContainerOption() {
        var advice = new DoctorAdvice(permissions(0, 0, false, 2, -1), false);
        assertThat(advice.forMemory()).contains("root lacks CAP_SYS_PTRACE", "--cap-add SYS_PTRACE");
        assertThat(advice.forSystemWide()).contains("root lacks CAP_PERFMON", "--cap-add PERFMON");
    }

    @Test
    void adviceNamesOneCauseForOneRefusal() {
        var root = new DoctorAdvice(permissions(0, ALL_CAPABILITIES, false, 2, -1), false);
        assertThat(root.forMemory() + "\n" + root.forPtraceBesideMemory())
                .containsOnlyOnce("security module")
                .doesNotContain("debugger");
        assertThat(root.forPtrace()).contains("debugger");
        var refused = new Refused(
                Refused.Reason.NOT_PERMITTED,
                "reading process 7 is not permitted: it has more capabilities, or is undumpable",
                "be root");
        assertThat(Doctor.runtimeRefused(7, refused))
                .isEqualTo(new Check(
                        "runtime", Check.Level.FAILED, "not looked for: process 7 may not be read, see above", ""));
        var unknown = new Refused(Refused.Reason.NOT_A_JVM, "process 7 is not a JVM", "see mayfly ps");
        assertThat(Doctor.runtimeRefused(7, unknown).finding()).isEqualTo("process 7 is not a JVM");
    }

    @Test
    void adviceForAUserNamesTheRestrictiveSettings() {
        var advice = new DoctorAdvice(permissions(1000, 0, false, 4, 1), false);
        assertThat(advice.forPerThread()).contains("kernel.perf_event_paranoid=2");
        assertThat(advice.forMemory()).contains("kernel.yama.ptrace_scope=0").contains("mayfly run");
    }

    @Test
    void adviceForAForeignProcessIsToRunAsItsUser() {
        assertThat(new DoctorAdvice(permissions(1000, 0, false, 4, 1), true).forMemory())
                .contains("belongs to another user")
                .doesNotContain("sysctl");
    }

    @Test
    void adviceForNamespaceRootIsToLeaveTheNamespace() {
        var permissions = new Permissions(
                2, 100_000, 516, -1, 0, 0, ALL_CAPABILITIES, 1024, 4096, -1, 2, "6.12", false, true, false);
        assertThat(refusals(new DoctorAdvice(permissions, false)))
                .allMatch(text -> text.contains("outside this user namespace") && text.contains("--cap-add"));
    }

    @Test
    void adviceNamesASeccompFilterBeforePrivileges() {
        assertThat(new DoctorAdvice(permissions(0, ALL_CAPABILITIES, true, 2, -1), false).forMemory())
                .contains("seccomp filter");
    }
}
