package mayfly.hotspot.inventory;

import java.util.List;

/**
 * The VM's state for agents, found through the symbols of its library.
 *
 * @param environments all JVMTI environments
 * @param switchedOn the capabilities enabled for the rest of the VM's life, by HotSpot's names, such as
 *         {@code can_walk_any_space}; also {@code virtual threads report their mounts}
 * @param redefinitions the number of class redefinitions and retransformations so far; -1 if unknown
 */
public record JvmtiState(List<Environment> environments, List<String> switchedOn, long redefinitions) {
    /** Stands for the flag by which each virtual thread reports its mounts, which slows it. */
    public static final String VIRTUAL_THREADS = "virtual threads report their mounts";

    public JvmtiState {
        environments = List.copyOf(environments);
        switchedOn = List.copyOf(switchedOn);
    }

    /**
     * One environment.
     *
     * @param disposed true if it was disposed and awaits a collection to be freed
     * @param flightRecorder true if it is the environment that the VM's flight recorder created for itself
     * @param callbacks the addresses of its callbacks that are set
     */
    public record Environment(boolean disposed, boolean flightRecorder, List<Long> callbacks) {
        public Environment {
            callbacks = List.copyOf(callbacks);
        }
    }
}
