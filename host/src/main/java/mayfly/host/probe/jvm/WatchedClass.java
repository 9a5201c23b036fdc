package mayfly.host.probe.jvm;

import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import mayfly.api.ClassId;
import mayfly.api.probe.ProbeRefusal;
import org.jspecify.annotations.Nullable;

/**
 * A class with its probed methods. It does not keep the class alive. The methods never change: another set of methods
 * is another object with the same record of the original code.
 */
final class WatchedClass {
    private final WeakReference<Class<?>> type;
    private final ClassId id;
    /** The code before the first probe. */
    private final ClassCode original;
    /** By name and descriptor, as in {@code run()V}. */
    private final Map<String, ProbedCode> methods;

    /** The methods that got no probe when the class was last redefined; null before that. */
    private volatile @Nullable Map<String, ProbeRefusal> refusals;

    WatchedClass(Class<?> type, ClassId id, ClassCode original, Map<String, ProbedCode> methods) {
        this(new WeakReference<>(type), id, original, methods);
    }

    private WatchedClass(
            WeakReference<Class<?>> type, ClassId id, ClassCode original, Map<String, ProbedCode> methods) {
        this.type = type;
        this.id = id;
        this.original = original;
        this.methods = methods;
    }

    /** Returns this class with other methods. */
    WatchedClass with(Map<String, ProbedCode> others) {
        return new WatchedClass(type, id, original, others);
    }

    /** Returns the methods of this class and these. */
    Map<String, ProbedCode> and(Map<String, ProbedCode> more) {
        Map<String, ProbedCode> all = new LinkedHashMap<>(methods);
        all.putAll(more);
        return all;
    }

    /** Returns null once the class has been unloaded. */
    @Nullable
    Class<?> type() {
        return type.get();
    }

    boolean is(Class<?> other) {
        return type.refersTo(other);
    }

    ClassId id() {
        return id;
    }

    ClassCode original() {
        return original;
    }

    boolean has(String nameAndDescriptor) {
        return methods.containsKey(nameAndDescriptor);
    }

    @Nullable
    ProbedCode method(String nameAndDescriptor) {
        return methods.get(nameAndDescriptor);
    }

    Collection<ProbedCode> methods() {
        return methods.values();
    }

    /** Returns the numbers of the probes, for {@link mayfly.host.probe.ProbeCode}. */
    Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new HashMap<>();
        for (Map.Entry<String, ProbedCode> each : methods.entrySet()) {
            numbers.put(each.getKey(), each.getValue().number());
        }
        return numbers;
    }

    @Nullable
    Map<String, ProbeRefusal> refusals() {
        return refusals;
    }

    /** @param last null before a redefinition, so that its absence is seen */
    void setRefusals(@Nullable Map<String, ProbeRefusal> last) {
        refusals = last;
    }
}
