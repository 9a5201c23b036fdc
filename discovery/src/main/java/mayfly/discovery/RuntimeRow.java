package mayfly.discovery;

import java.util.List;
import mayfly.profile.RuntimeId;
import org.jspecify.annotations.Nullable;

/**
 * One runtime in one process. Strings are from the target: untrusted text.
 *
 * @param pid the process
 * @param runtime the id of the runtime in the process; null if the runtime was not read
 * @param address the address at which its libjvm is mapped, 0 if unknown
 * @param version the runtime's own version, empty if it could not be read
 * @param mainClass main class or jar, empty if unknown
 * @param arguments the arguments of its program, separated by blanks
 * @param user the owner of the process
 * @param usage CPU time and age of the process
 * @param attached agents and profilers loaded into the process
 */
public record RuntimeRow(
        int pid,
        @Nullable RuntimeId runtime,
        long address,
        String version,
        String mainClass,
        String arguments,
        String user,
        ProcessUsage usage,
        List<String> attached) {
    public RuntimeRow {
        attached = List.copyOf(attached);
    }

    /** Returns this row with other agents and profilers. */
    RuntimeRow with(List<String> agents) {
        return new RuntimeRow(pid, runtime, address, version, mainClass, arguments, user, usage, agents);
    }
}
