package mayfly.host.probe;

import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.HashSet;
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
    private static final ThreadLocal<@Nullable Receiver> RECEIVERS = new ThreadLocal<>();
    private static boolean isRegistered;

    /** Receives the calls of probes on a thread. */
    interface Receiver {
        /**
         * @param number the method
         * @param kind {@code +} for an enter, {@code -} for a leave by return, {@code !} for a leave by an exception
         */
        void receive(int number, char kind);
    }

    /** Starts to pass the calls of this thread to a receiver. */
    static synchronized void start(Receiver receiver) {
        if (!isRegistered) {
            registerProvider(new ScriptedProvider());
            isRegistered = true;
        }
        RECEIVERS.set(receiver);
    }

    static void stop() {
        RECEIVERS.remove();
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
        Receiver receiver = RECEIVERS.get();
        if (receiver != null) {
            String text = key.substring(ProbeKeys.PREFIX.length());
            int end = text.indexOf('/');
            int number = Integer.parseInt(end < 0 ? text : text.substring(0, end));
            receiver.receive(number, enters ? '+' : end < 0 ? '-' : '!');
        }
        return null;
    }

    @Override
    protected NavigableMap<String, ZoneRules> provideVersions(String key) {
        return new TreeMap<>();
    }
}
