package mayfly.host.probe;

import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Receives the calls of probes, as the host does. It is registered with the JDK for the rest of the test JVM's life,
 * for the numbers below {@link #NUMBERS}: the keys of others are absent.
 */
final class ScriptedProvider extends ZoneRulesProvider {
    static final int NUMBERS = 20_000;
    private static final ThreadLocal<@Nullable List<String>> EVENTS = new ThreadLocal<>();
    private static boolean isRegistered;

    /**
     * Starts to record the calls of this thread. Returns their list: {@code +7} is an enter, {@code -7} a leave by
     * return, {@code !7} a leave by an exception.
     */
    static synchronized List<String> start() {
        if (!isRegistered) {
            registerProvider(new ScriptedProvider());
            isRegistered = true;
        }
        List<String> events = new ArrayList<>();
        EVENTS.set(events);
        return events;
    }

    static void stop() {
        EVENTS.remove();
    }

    @Override
    protected Set<String> provideZoneIds() {
        Set<String> keys = new HashSet<>();
        for (int number = 0; number < NUMBERS; number++) {
            keys.add(ProbeKeys.of(number));
            keys.add(ProbeKeys.ofThrown(number));
        }
        return keys;
    }

    @Override
    @SuppressWarnings("NullAway") // the JDK permits null
    protected ZoneRules provideRules(String key, boolean enters) {
        List<String> events = EVENTS.get();
        if (events != null) {
            String text = key.substring(ProbeKeys.PREFIX.length());
            int end = text.indexOf('/');
            events.add((enters ? "+" : end < 0 ? "-" : "!") + (end < 0 ? text : text.substring(0, end)));
        }
        return null;
    }

    @Override
    protected NavigableMap<String, ZoneRules> provideVersions(String key) {
        return new TreeMap<>();
    }
}
