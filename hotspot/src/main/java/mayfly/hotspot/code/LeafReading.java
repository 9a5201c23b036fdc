package mayfly.hotspot.code;

import java.util.Map;

/**
 * The choice of each rule for one program counter in a compiled method that has debug information for all instructions.
 *
 * @param recorded the method that ran, according to the debug information for all instructions
 * @param chosen the choice of each rule, based on the debug information at calls and polls only
 * @param certain true if the program counter is a call or poll, where every rule is exact
 * @param optimized true if C2 compiled the method, false if C1 did
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
