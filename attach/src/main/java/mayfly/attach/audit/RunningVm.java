package mayfly.attach.audit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.linux.LiveProcess;
import mayfly.profile.RuntimeId;

/**
 * A JVM that runs in a process; a libjvm that is only mapped is none.
 *
 * @param id which, as {@code mayfly ps} counts them
 * @param version its version, such as 17.0.15+6
 * @param start where its libjvm begins
 */
public record RunningVm(RuntimeId id, String version, long start) {

    /** Those of a process. */
    public static List<RunningVm> of(LiveProcess process) throws IOException {
        List<RunningVm> running = new ArrayList<>();
        for (Vm vm : Vm.of(process, new Libraries(process, process.mappings()))) {
            vm.version().ifPresent(version -> running.add(new RunningVm(new RuntimeId(running.size() + 1), version, vm.start())));
        }
        return running;
    }

    @Override
    public String toString() {
        return id + " (" + version + ")";
    }
}
