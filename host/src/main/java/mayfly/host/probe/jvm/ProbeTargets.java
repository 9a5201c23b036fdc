package mayfly.host.probe.jvm;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.code.MethodId;
import mayfly.host.probe.DeferredClasses;
import mayfly.host.probe.ProbeKeys;
import mayfly.wire.ProbeCall;
import org.jspecify.annotations.Nullable;

/** The keys of probes in the JDK's map of time-zone providers: see docs/decisions/0041. */
final class ProbeTargets {
    /**
     * The time that a number stands for, ns. A call of an earlier profiler's probe may still be running when this
     * profiler adds its first, and must not find a target. So numbers begin with the time of the attach. A detach and
     * an attach take some 50 ms, in which 3,000 numbers pass; they repeat after nine hours.
     */
    private static final int NANOS_PER_NUMBER = 1 << 14;

    private static final String SLOTS = "mayfly.host.probe.slot.ProbeSlots";

    /** Upper bound on the numbers that are kept of methods that have had a probe. */
    private static final int MAX_NUMBERS = 1 << 16;

    private final ProbeJvm jvm;
    private final Map<MethodId, Integer> numbers = new HashMap<>();
    private int next = (int) (System.nanoTime() / NANOS_PER_NUMBER) & Integer.MAX_VALUE;

    private @Nullable ConcurrentMap<String, Object> map;
    private @Nullable BiFunction<ProbedCode, Boolean, Object> slots;

    ProbeTargets(ProbeJvm jvm) {
        this.jvm = jvm;
    }

    /**
     * Finds the map.
     *
     * @throws ProfilerException if this JDK does not have it
     */
    @SuppressWarnings("unchecked")
    void prepare() {
        if (map == null) {
            // The library must recognise a compilation of the classes that this loader defines.
            Object found = jvm.call(ProbeCall.SLOT, DeferredClasses.loader());
            if (!(found instanceof ConcurrentMap)) {
                throw new ProfilerException(
                        Status.UNSUPPORTED_FOR_ATTACHING_PROFILER,
                        "this JDK has no place for the targets of probes: java.time.zone.ZoneRulesProvider differs from"
                                + " that of JDK 17 to 26");
            }
            map = (ConcurrentMap<String, Object>) found;
        }
    }

    @SuppressWarnings("unchecked")
    private BiFunction<ProbedCode, Boolean, Object> slots() {
        if (slots == null) {
            slots = (BiFunction<ProbedCode, Boolean, Object>) DeferredClasses.create(SLOTS);
        }
        return slots;
    }

    /**
     * Returns the number in the keys of a method's probe: the same one again if the method had a probe before. Each new
     * number adds four constants to the constant pool of the class, which the JVM never removes.
     */
    int number(MethodId method) {
        Integer known = numbers.get(method);
        if (known != null) {
            return known;
        }
        int number = next;
        next = number == Integer.MAX_VALUE ? 0 : number + 1;
        if (numbers.size() < MAX_NUMBERS) {
            numbers.put(method, number);
        }
        return number;
    }

    void put(ProbedCode method) {
        ConcurrentMap<String, Object> targets = map;
        if (targets != null) {
            targets.put(ProbeKeys.of(method.number()), slots().apply(method, false));
            targets.put(ProbeKeys.ofThrown(method.number()), slots().apply(method, true));
        }
    }

    void remove(ProbedCode method) {
        ConcurrentMap<String, Object> targets = map;
        if (targets != null) {
            targets.remove(ProbeKeys.of(method.number()));
            targets.remove(ProbeKeys.ofThrown(method.number()));
        }
    }
}
