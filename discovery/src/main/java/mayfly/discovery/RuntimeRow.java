package mayfly.discovery;

import java.util.List;
import mayfly.profile.RuntimeId;

/**
 * One runtime in one process. Strings are the target's: untrusted text.
 *
 * @param pid the process
 * @param runtime which of its runtimes
 * @param address where its libjvm is mapped, 0 if that is not known
 * @param version the runtime's own version, empty if it could not be read
 * @param mainClass main class or jar, empty if not known
 * @param user whose process it is
 * @param usage CPU time and age of the process
 * @param attached what is loaded into it that came from outside: agents, profilers
 */
public record RuntimeRow(int pid, RuntimeId runtime, long address, String version, String mainClass,
                         String user, ProcessUsage usage, List<String> attached) {
    public RuntimeRow {
        attached = List.copyOf(attached);
    }
}
