package mayfly.record;

import mayfly.discovery.Target;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.frames.WalkCounters;
import mayfly.profile.Ledger;

/** Adds events of walks that should be rare to a ledger: if they are frequent, names may be wrong. */
final class Alarms {
    /** The share of samples, one in this many, that counts as an alarm. */
    private static final long RARE = 200;

    private Alarms() {
    }

    static void add(Ledger.Builder ledger, Target target, long samples) {
        for (HotSpot runtime : target.runtimes()) {
            WalkCounters counters = runtime.counters();
            ledger.addSupersededFrames(counters.fromSuperseded());
            alarm(ledger, samples, counters.slipped(), "compiled frames were larger than their code says");
            alarm(ledger, samples, counters.otherState(), "leaf frames were in another state than their code says");
        }
    }

    private static void alarm(Ledger.Builder ledger, long samples, long count, String what) {
        if (count * RARE > samples && count > 10) {
            ledger.alarm(count + " " + what);
        }
    }
}
