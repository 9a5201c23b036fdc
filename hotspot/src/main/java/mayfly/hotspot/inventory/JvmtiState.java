package mayfly.hotspot.inventory;

import java.util.List;

/**
 * What a VM keeps for agents, by the symbols of its library.
 *
 * @param environments each environment of JVMTI that there is
 * @param switchedOn what the VM was switched to for the rest of its life, by its own names, such as {@code
 *     can_walk_any_space}
 * @param redefinitions how often classes were redefined or retransformed so far; -1 if that is not told
 */
public record JvmtiState(List<Environment> environments, List<String> switchedOn, long redefinitions) {
    public JvmtiState {
        environments = List.copyOf(environments);
        switchedOn = List.copyOf(switchedOn);
    }

    /**
     * One environment.
     *
     * @param disposed whether it is given back, and only waits for a collection to be freed
     * @param flightRecorder whether it is the one that the VM's flight recorder has made for itself
     * @param callbacks the addresses of its callbacks, those that are set
     */
    public record Environment(boolean disposed, boolean flightRecorder, List<Long> callbacks) {
        public Environment {
            callbacks = List.copyOf(callbacks);
        }
    }
}
