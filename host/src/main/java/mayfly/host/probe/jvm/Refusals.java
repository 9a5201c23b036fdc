package mayfly.host.probe.jvm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import mayfly.api.probe.ProbeRefusal;
import mayfly.api.probe.RefusedProbes;

/** The methods that match a pattern and get no probe: their number, and some names, for each reason. */
final class Refusals {
    /** Documented by {@link RefusedProbes}. */
    private static final int MAX_EXAMPLES = 8;

    /** For each reason, in the order of the constants. */
    private final List<List<String>> examples = new ArrayList<>();

    private final int[] counts = new int[ProbeRefusal.values().length];

    Refusals() {
        for (int i = 0; i < counts.length; i++) {
            examples.add(new ArrayList<>());
        }
    }

    /** @param method the name and the descriptor */
    void add(ProbeRefusal reason, Class<?> type, String method) {
        List<String> some = examples.get(reason.ordinal());
        if (some.size() < MAX_EXAMPLES) {
            some.add(type.getName() + '.' + method);
        }
        counts[reason.ordinal()]++;
    }

    void addAll(ProbeRefusal reason, Class<?> type, Collection<String> methods) {
        for (String each : methods) {
            add(reason, type, each);
        }
    }

    List<RefusedProbes> list() {
        List<RefusedProbes> all = new ArrayList<>();
        for (ProbeRefusal each : ProbeRefusal.values()) {
            int count = counts[each.ordinal()];
            if (count > 0) {
                all.add(new RefusedProbes(each, count, Collections.unmodifiableList(examples.get(each.ordinal()))));
            }
        }
        return all;
    }
}
