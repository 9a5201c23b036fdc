package mayfly.attach.audit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import mayfly.linux.LiveProcess;
import mayfly.process.Mapping;
import mayfly.profile.RuntimeId;

/**
 * A JVM that runs in a process; a libjvm that is only mapped is none.
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
            Optional<String> version = vm.version();
            if (version.isPresent()) {
                var id = new RuntimeId(running.size() + 1);
                running.add(new RunningVm(id, version.get(), vm.library().code(), vm.library().start()));
            } else {
                problems.add(vm.problem());
            }
        }
        return running;
    }

    @Override
    public String toString() {
        return id + " (" + version + ")";
    }
}
