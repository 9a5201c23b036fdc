package mayfly.hotspot.code;

import java.util.Map;

/**
 * What each rule says of one program counter in a compiled method that has debug information for all instructions.
 *
 * @param recorded the method that ran, as the debug information of all instructions says
 * @param chosen what each rule chooses if only the debug information at calls and polls is looked at
 * @param certain whether the program counter is a call or poll, so that every rule knows it
 * @param optimized whether C2 compiled it, and not C1
 */
public record LeafReading(String recorded, Map<LeafRule, String> chosen, boolean certain, boolean optimized) {

    /** Receives the reading of each sample whose leaf is in such a method. */
    @FunctionalInterface
    public interface Observer {
        void sample(LeafReading reading);
    }

    public LeafReading {
        chosen = Map.copyOf(chosen);
    }
}
