package mayfly.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SortedMap;
import java.util.TreeMap;
import mayfly.audit.AuditKind;
import mayfly.audit.AuditSection;
import org.junit.jupiter.api.Test;

/** The description of the users of JVMTI. */
class JvmtiUsersTest {
    private static AuditSection section(SortedMap<String, Long> items) {
        return new AuditSection(AuditKind.JVMTI_ENVIRONMENTS, items, "");
    }

    @Test
    void jvmWithoutAUserOfJvmtiHasNoEnvironment() {
        assertThat(JvmtiUsers.of(section(new TreeMap<>()))).isEqualTo("no environment");
    }

    @Test
    void usersOfJvmtiAreListedWithTheCostForVirtualThreads() {
        SortedMap<String, Long> items = new TreeMap<>();
        items.put("environment that calls libagent.so", 2L);
        items.put("environment of the flight recorder", 1L);
        items.put(AuditSection.PERMANENT + "_can_walk_any_space", 1L);
        assertThat(JvmtiUsers.of(section(items)))
                .isEqualTo("environment of the flight recorder; 2 × environment that calls libagent.so");
        items.put(AuditSection.PERMANENT + AuditSection.VIRTUAL_THREADS, 1L);
        assertThat(JvmtiUsers.of(section(items)))
                .endsWith("libagent.so; virtual threads are slower until the process ends, and another user of JVMTI"
                        + " costs them nothing more");
    }

    @Test
    void environmentsThatCannotBeReadAreNotSeen() {
        AuditSection unseen = new AuditSection(AuditKind.JVMTI_ENVIRONMENTS, new TreeMap<>(), "no symbols");
        assertThat(JvmtiUsers.of(unseen)).isEqualTo("not seen: no symbols");
    }
}
