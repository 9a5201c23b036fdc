package mayfly.record;

import java.util.TreeMap;
import mayfly.discovery.InspectedProcess;
import mayfly.profile.Ledger;
import mayfly.runtime.ManagedRuntime;

/** Adds events of walks that should be rare to a ledger: if they are frequent, names may be wrong. */
final class Alarms {
    /** The share of samples, one in this many, that counts as an alarm. */
    private static final long RARE = 200;

    private Alarms() {
    }

    static void add(Ledger.Builder ledger, InspectedProcess target, long samples) {
        for (ManagedRuntime runtime : target.runtimes()) {
            ledger.addSupersededFrames(runtime.supersededFrames());
            new TreeMap<>(runtime.rareEvents()).forEach((event, count) -> alarm(ledger, samples, count, event));
        }
    }

    private static void alarm(Ledger.Builder ledger, long samples, long count, String what) {
        if (count * RARE > samples && count > 10) {
            ledger.alarm(count + " " + what);
        }
    }
}
