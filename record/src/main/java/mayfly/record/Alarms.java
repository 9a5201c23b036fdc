package mayfly.record;

import java.util.List;
import java.util.TreeMap;
import mayfly.profile.Ledger;
import mayfly.runtime.ManagedRuntime;

/** Adds to a ledger an alarm for each event of the walks that should be rare and is not: names may then be wrong. */
final class Alarms {
    /** An event causes an alarm if it occurs more than once in this many samples, and more than ten times. */
    private static final long RARE = 200;

    private Alarms() {}

    static void add(Ledger.Builder ledger, List<ManagedRuntime> runtimes, long samples) {
        for (ManagedRuntime runtime : runtimes) {
            new TreeMap<>(runtime.rareEvents()).forEach((event, count) -> alarm(ledger, samples, count, event));
        }
    }

    private static void alarm(Ledger.Builder ledger, long samples, long count, String what) {
        if (count * RARE > samples && count > 10) {
            ledger.alarm(count + " " + what);
        }
    }
}
