package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SortedMap;
import java.util.TreeMap;
import mayfly.audit.AuditKind;
import mayfly.audit.AuditSection;
import org.junit.jupiter.api.Test;

class DoctorCommandTest {
    private static AuditSection section(SortedMap<String, Long> items) {
        return new AuditSection(AuditKind.JVMTI_ENVIRONMENTS, items, "");
    }

    @Test
    void jvmWithoutAUserOfJvmtiHasNoEnvironment() {
        assertThat(DoctorCommand.environments(section(new TreeMap<>()))).isEqualTo("no environment");
    }

    @Test
    void usersOfJvmtiAreListedWithTheCostForVirtualThreads() {
        SortedMap<String, Long> items = new TreeMap<>();
        items.put("environment that calls libagent.so", 2L);
        items.put("environment of the flight recorder", 1L);
        items.put(AuditSection.PERMANENT + "_can_walk_any_space", 1L);
        assertThat(DoctorCommand.environments(section(items)))
                .isEqualTo("environment of the flight recorder; 2 × environment that calls libagent.so");
        items.put(AuditSection.PERMANENT + AuditSection.VIRTUAL_THREADS, 1L);
        assertThat(DoctorCommand.environments(section(items)))
                .endsWith("libagent.so; virtual threads are slower until the process ends, and another user of JVMTI"
                        + " costs them nothing more");
    }

    @Test
    void environmentsThatCannotBeReadAreNotSeen() {
        AuditSection unseen = new AuditSection(AuditKind.JVMTI_ENVIRONMENTS, new TreeMap<>(), "no symbols");
        assertThat(DoctorCommand.environments(unseen)).isEqualTo("not seen: no symbols");
    }
}
