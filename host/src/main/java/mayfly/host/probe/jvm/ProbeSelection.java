package mayfly.host.probe.jvm;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.code.MethodId;
import mayfly.api.probe.ProbeRefusal;
import mayfly.host.code.MemberTable;
import mayfly.host.probe.DeferredClasses;
import mayfly.host.probe.MalformedCode;
import mayfly.host.probe.MethodPattern;
import mayfly.host.probe.ReservedPackages;
import org.jspecify.annotations.Nullable;

/** Chooses the methods that match a pattern and can have a probe, and changes nothing. */
final class ProbeSelection {
    /** Documented by {@link mayfly.api.ProfilerInfo#addProbes}. */
    static final int MAX_PROBES = 1_000;

    private final ProbeJvm jvm;
    private final ProbeTargets targets;
    private final CodeChecks checks;
    private final ProbeDelivery delivery;
    private final MethodPattern pattern;
    private final Refusals refusals;
    /** The number of probes that may still be added. */
    private int room;

    /** @param present the number of probes in place */
    ProbeSelection(
            ProbeJvm jvm,
            ProbeTargets targets,
            CodeChecks checks,
            ProbeDelivery delivery,
            MethodPattern pattern,
            Refusals refusals,
            int present) {
        this.jvm = jvm;
        this.delivery = delivery;
        this.targets = targets;
        this.checks = checks;
        this.pattern = pattern;
        this.refusals = refusals;
        this.room = MAX_PROBES - present;
    }

    /**
     * Returns the matching classes, each with all methods that are to have a probe: its present ones and the new ones.
     *
     * @param present the classes that have probes
     * @throws ProfilerException if there would be too many probes, or the JVM does not describe a class
     */
    List<WatchedClass> choose(List<WatchedClass> present) {
        Map<Class<?>, Map<String, ProbedCode>> chosen = new LinkedHashMap<>();
        @Nullable Class<?> @Nullable [] loaded = jvm.loadedClasses();
        if (loaded == null) {
            throw new ProfilerException(Status.FAILED, "JVMTI does not enumerate the classes");
        }
        for (Class<?> type : loaded) {
            if (type != null && pattern.matchesClass(type.getName())) {
                Map<String, ProbedCode> methods = methods(type, WatchedClasses.find(present, type));
                if (!methods.isEmpty()) {
                    chosen.put(type, methods);
                }
            }
        }
        List<WatchedClass> classes = new ArrayList<>();
        for (Map.Entry<Class<?>, Map<String, ProbedCode>> each : chosen.entrySet()) {
            WatchedClass known = WatchedClasses.find(present, each.getKey());
            WatchedClass changed =
                    known == null ? recorded(each.getKey(), each.getValue()) : known.with(known.and(each.getValue()));
            if (changed != null) {
                classes.add(changed);
            }
        }
        return classes;
    }

    private Map<String, ProbedCode> methods(Class<?> type, @Nullable WatchedClass known) {
        MemberTable members = jvm.methods(type);
        if (members == null) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "this JVM describes its classes in an unknown way");
        }
        Map<String, ProbedCode> methods = new LinkedHashMap<>();
        List<ProbedCode> inPlace = known == null ? List.of() : checks.inPlace(known);
        for (int i = 0; i < members.size(); i++) {
            String name = members.name(i);
            String descriptor = members.descriptor(i);
            if (!pattern.matchesMethod(name, descriptor)) {
                continue;
            }
            String both = name.concat(descriptor);
            ProbeRefusal reason = refusal(type, name, members.modifiers(i));
            ProbedCode present = known == null ? null : known.method(both);
            if (reason == null && present != null) {
                reason = inPlace.contains(present) ? ProbeRefusal.ALREADY_PROBED : ProbeRefusal.REPLACED_BY_AGENT;
            }
            if (reason == null) {
                requireRoom();
                MethodId id = jvm.id(type, members.number(i));
                methods.put(both, new ProbedCode(delivery, id, type.getName(), name, descriptor, targets.number(id)));
            } else {
                refusals.add(reason, type, both);
            }
        }
        return methods;
    }

    private void requireRoom() {
        if (room == 0) {
            throw new ProfilerException(
                    Status.FAILED,
                    "the pattern " + pattern + " matches too many methods: a profiler has at most " + MAX_PROBES
                            + " probes");
        }
        room--;
    }

    private @Nullable ProbeRefusal refusal(Class<?> type, String name, int modifiers) {
        ClassLoader loader = type.getClassLoader();
        if (loader == ProbeSelection.class.getClassLoader() || loader instanceof DeferredClasses) {
            return ProbeRefusal.PROFILER;
        }
        if (ReservedPackages.contains(type.getName())) {
            return ProbeRefusal.RESERVED_PACKAGE;
        }
        if (name.startsWith("<")) {
            return name.equals("<init>") ? ProbeRefusal.CONSTRUCTOR : ProbeRefusal.CLASS_INITIALIZER;
        }
        if (Modifier.isNative(modifiers)) {
            return ProbeRefusal.NATIVE;
        }
        return Modifier.isAbstract(modifiers) ? ProbeRefusal.ABSTRACT : null;
    }

    /** Returns the class with the code that it has before its first probe; null if it can have none. */
    private @Nullable WatchedClass recorded(Class<?> type, Map<String, ProbedCode> methods) {
        ClassCode code = ClassCode.read(jvm, type);
        if (code == null) {
            refusals.addAll(ProbeRefusal.UNMODIFIABLE_CLASS, type, methods.keySet());
            return null;
        }
        try {
            var unused = code.record();
        } catch (MalformedCode e) {
            refusals.addAll(ProbeRefusal.MALFORMED, type, methods.keySet());
            return null;
        }
        // Without the methods that the JVM itself has added.
        methods.keySet().retainAll(code.methods().keySet());
        return methods.isEmpty() ? null : new WatchedClass(type, jvm.id(type), code, methods);
    }
}
