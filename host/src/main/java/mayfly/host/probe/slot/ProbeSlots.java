package mayfly.host.probe.slot;

import java.util.function.BiFunction;
import mayfly.host.probe.jvm.ProbedCode;

/** Creates the targets of probes. {@code ProbeTargets}, which is in another loader, creates it. */
public final class ProbeSlots implements BiFunction<ProbedCode, Boolean, Object> {

    /** For {@code ProbeTargets}. */
    public ProbeSlots() {}

    /** @param thrown true for the key under which a method calls that is left by an exception */
    @Override
    public Object apply(ProbedCode method, Boolean thrown) {
        return new ProbeSlot(method, thrown);
    }
}
