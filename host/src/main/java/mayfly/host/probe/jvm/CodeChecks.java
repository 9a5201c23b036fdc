package mayfly.host.probe.jvm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.probe.ProbeRefusal;
import mayfly.host.probe.CodeRecord;
import mayfly.host.probe.MalformedCode;
import org.jspecify.annotations.Nullable;

/** Reads the code that classes have now, and compares it with the code that they should have. */
final class CodeChecks {
    private final ProbeJvm jvm;

    CodeChecks(ProbeJvm jvm) {
        this.jvm = jvm;
    }

    /** Checks that the JVM has asked for the class file of a changed class, and there was memory for the answer. */
    static void requireInsertion(WatchedClass changed) {
        Class<?> type = changed.type();
        if (type != null && !changed.methods().isEmpty() && changed.refusals() == null) {
            throw new ProfilerException(
                    Status.FAILED,
                    "no class file with probes was made of " + type.getName() + ": the heap may have no room for it");
        }
    }

    /**
     * Returns the methods that contain a probe now: another agent may have replaced the code of the others. Methods
     * whose code the JVM does not show are among them.
     *
     * @throws ProfilerException if the code cannot be read
     */
    List<ProbedCode> inPlace(WatchedClass of) {
        List<ProbedCode> methods = new ArrayList<>();
        Class<?> type = of.type();
        if (type == null) {
            return methods;
        }
        ClassCode code = ClassCode.read(jvm, type);
        for (ProbedCode each : of.methods()) {
            if (hasProbe(code, each)) {
                methods.add(each);
            }
        }
        return methods;
    }

    /**
     * Returns the methods that have no probe after a change of their class, with the reasons.
     *
     * @throws ProfilerException if the class file was not changed, or its code cannot be read
     */
    Map<String, ProbeRefusal> missing(WatchedClass changed, Class<?> type) {
        requireInsertion(changed);
        Map<String, ProbeRefusal> refused = changed.refusals();
        Map<String, ProbeRefusal> missing = new HashMap<>(refused == null ? Map.of() : refused);
        ClassCode code = ClassCode.read(jvm, type);
        for (ProbedCode method : changed.methods()) {
            if (!hasProbe(code, method)) {
                missing.putIfAbsent(method.nameAndDescriptor(), ProbeRefusal.REPLACED_BY_AGENT);
            }
        }
        return missing;
    }

    /** Returns the reason why a method has lost its probe by an insertion of others; null if none has. */
    static @Nullable ProbeRefusal loss(WatchedClass former, Map<String, ProbeRefusal> missing) {
        for (ProbedCode method : former.methods()) {
            ProbeRefusal reason = missing.get(method.nameAndDescriptor());
            if (reason != null && reason != ProbeRefusal.REPLACED_BY_AGENT) {
                return reason;
            }
        }
        return null;
    }

    /** Returns true if a method contains a probe, or cannot be read. */
    private static boolean hasProbe(@Nullable ClassCode code, ProbedCode method) {
        try {
            return code == null
                    || code.record(Set.of(method.nameAndDescriptor())).hasProbe();
        } catch (MalformedCode e) {
            return true;
        }
    }

    /**
     * Compares the methods that had a probe, and all methods of a class that has no probe any more.
     *
     * @throws ProfilerException if a probe is left, or the code cannot be read
     */
    boolean isOriginal(WatchedClass changed, Set<String> methods) {
        Class<?> type = changed.type();
        if (type == null) {
            return true;
        }
        ClassCode now = ClassCode.read(jvm, type);
        if (now == null) {
            throw new ProfilerException(Status.FAILED, "the code of " + type.getName() + " cannot be read");
        }
        Set<String> all = new HashSet<>(now.methods().keySet());
        all.addAll(changed.original().methods().keySet());
        Set<String> compared = changed.methods().isEmpty() ? all : methods;
        try {
            CodeRecord code = now.record(compared);
            if (code.hasProbe()) {
                throw new ProfilerException(
                        Status.FAILED, "a probe is left in " + type.getName() + ": another agent keeps it");
            }
            return changed.original().record(compared).differenceTo(code).isEmpty();
        } catch (MalformedCode e) {
            throw new ProfilerException(
                    Status.FAILED, "the code of " + type.getName() + " cannot be compared: " + e.getMessage());
        }
    }
}
