package mayfly.attach.audit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import mayfly.hotspot.HotSpot;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.profile.RuntimeId;

/**
 * A JVM that runs in a process. One that was destroyed is none, and neither is a libjvm that is only mapped.
 *
 * @param id which, as {@code mayfly ps} counts them
 * @param version its version, such as 17.0.15+6
 * @param library the code of its libjvm
 * @param start where its libjvm begins
 */
public record RunningVm(RuntimeId id, String version, Mapping library, long start) {

    /**
     * Those of a process.
     *
     * @param problems where it is added why a libjvm is no JVM that runs
     */
    public static List<RunningVm> of(LiveProcess process, List<String> problems) throws IOException {
        List<RunningVm> running = new ArrayList<>();
        for (Vm vm : Vm.of(process, new Libraries(process, process.mappings()))) {
            HotSpot runtime = vm.runtime().orElse(null);
            if (runtime == null) {
                problems.add(vm.problem());
            } else if (runtime.isDestroyed()) {
                problems.add(runtime.id() + " (" + runtime.version() + ") has been destroyed by its program");
            } else {
                running.add(new RunningVm(runtime.id(), runtime.version(), vm.library().code(), vm.library().start()));
            }
        }
        return running;
    }

    @Override
    public String toString() {
        return id + " (" + version + ")";
    }
}
