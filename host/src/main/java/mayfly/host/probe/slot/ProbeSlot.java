package mayfly.host.probe.slot;

import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import mayfly.host.probe.jvm.ProbeDelivery;
import mayfly.host.probe.jvm.ProbedCode;
import org.jspecify.annotations.Nullable;

/**
 * The target of a probe: the provider that {@link ZoneRulesProvider#getRules} finds under the probe's key. It is never
 * registered as a provider, which could not be undone; the host puts it into the map of the JDK and removes it.
 */
final class ProbeSlot extends ZoneRulesProvider {
    private final ProbeDelivery delivery;
    private final ProbedCode method;
    private final boolean thrown;

    /** @param thrown true for the key under which a method calls that is left by an exception */
    ProbeSlot(ProbedCode method, boolean thrown) {
        this.delivery = method.delivery();
        this.method = method;
        this.thrown = thrown;
    }

    /** @param enters true if the method begins; false if it ends */
    @Override
    @SuppressWarnings("NullAway") // the JDK permits null, and a caller that has no use for rules is a probe
    protected @Nullable ZoneRules provideRules(String key, boolean enters) {
        if (method.reports()) {
            if (enters) {
                delivery.entered(method.id());
            } else {
                delivery.left(method.id(), thrown);
            }
        }
        return null;
    }

    @Override
    protected Set<String> provideZoneIds() {
        return Set.of();
    }

    @Override
    protected NavigableMap<String, ZoneRules> provideVersions(String key) {
        return new TreeMap<>();
    }
}
