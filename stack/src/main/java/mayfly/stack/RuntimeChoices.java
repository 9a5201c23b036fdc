package mayfly.stack;

import java.util.List;
import java.util.stream.Collectors;
import mayfly.discovery.Refused;
import mayfly.discovery.Refused.Reason;
import mayfly.profile.RuntimeId;
import mayfly.runtime.ManagedRuntime;

/** Chooses a runtime of a process by its id or its version. */
final class RuntimeChoices {
    private RuntimeChoices() {}

    /**
     * Chooses a runtime. A destroyed one is chosen by its id, or if no other one has the version.
     *
     * @param all the runtimes of the process
     * @throws Refused if the choice fits none of them, or several
     */
    static ManagedRuntime chosen(int pid, List<? extends ManagedRuntime> all, RuntimeId.Choice choice) throws Refused {
        List<? extends ManagedRuntime> fitting = all.stream()
                .filter(runtime -> choice.fits(runtime.id(), runtime.version()))
                .toList();
        List<? extends ManagedRuntime> running =
                fitting.stream().filter(runtime -> !runtime.isDestroyed()).toList();
        if (fitting.size() == 1 || running.size() == 1) {
            return (running.isEmpty() ? fitting : running).getFirst();
        }
        String words = "process " + pid + " has "
                + all.stream().map(RuntimeChoices::name).collect(Collectors.joining(", "));
        throw fitting.isEmpty()
                ? new Refused(Reason.NO_SUCH_RUNTIME, words + ", no " + choice, "")
                : new Refused(Reason.AMBIGUOUS, words + ": name one by its id", "");
    }

    /** Returns the id and the version of a runtime, as messages name it. */
    static String name(ManagedRuntime runtime) {
        return runtime.id() + " (" + runtime.version() + ")";
    }
}
