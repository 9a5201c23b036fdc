package mayfly.host.probe.jvm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.api.ClassId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.probe.AddedProbes;
import mayfly.api.probe.ProbeRefusal;
import mayfly.api.probe.ProbedMethod;
import mayfly.api.probe.RemovedProbes;
import mayfly.host.probe.CodeRecord;
import mayfly.host.probe.Insertion;
import mayfly.host.probe.MalformedCode;
import mayfly.host.probe.MalformedPattern;
import mayfly.host.probe.MethodPattern;
import mayfly.host.probe.ProbeCode;
import mayfly.wire.ProbeCall;
import org.jspecify.annotations.Nullable;

/**
 * The probes of a profiler. One thread at a time adds or removes probes, with the lock of this object; a thread on
 * which a class is redefined takes no lock, because it may hold one for which the first thread waits.
 */
public final class Probes {
    private final ProbeJvm jvm;
    private final ProbeDelivery delivery;
    private final ProbeTargets targets;

    /** The classes that have probes. Protected by the lock. */
    private List<WatchedClass> present = List.of();
    /** The classes that get probes when they are redefined. It differs from the other list only during a change. */
    private volatile List<WatchedClass> wanted = List.of();

    /** @param profiler receives the calls of the probed methods */
    public Probes(Profiler profiler, ProbeJvm jvm) {
        this.jvm = jvm;
        this.delivery = new ProbeDelivery(profiler, jvm);
        this.targets = new ProbeTargets(jvm);
    }

    /**
     * Adds probes: see {@link mayfly.api.ProfilerInfo#addProbes}.
     *
     * @throws ProfilerException if nothing was changed
     */
    public synchronized AddedProbes add(String text) {
        MethodPattern pattern = pattern(text);
        targets.prepare();
        dropUnloaded();
        Refusals refusals = new Refusals();
        List<WatchedClass> changed =
                new ProbeSelection(jvm, targets, delivery, pattern, refusals, count(present)).choose(present);
        List<ProbedCode> added = new ArrayList<>();
        for (WatchedClass each : changed) {
            added.addAll(newMethods(each));
        }
        if (added.isEmpty()) {
            return new AddedProbes(List.of(), refusals.list());
        }
        for (ProbedCode each : added) {
            targets.put(each);
        }
        try {
            change(replaced(present, changed), changed);
            List<ProbedMethod> probed = settle(changed, refusals);
            return new AddedProbes(Collections.unmodifiableList(probed), refusals.list());
        } catch (Throwable e) {
            restore(changed);
            for (ProbedCode each : added) {
                targets.remove(each);
            }
            throw e;
        }
    }

    /**
     * Removes probes: see {@link mayfly.api.ProfilerInfo#removeProbes}.
     *
     * @throws ProfilerException if all probes are still in place
     */
    public synchronized RemovedProbes remove(String text) {
        return remove(pattern(text));
    }

    /** Removes all probes, as {@link #remove}. Without a probe it asks nothing of the JVM, which may have no JVMTI. */
    public synchronized RemovedProbes removeAll() {
        return present.isEmpty() ? new RemovedProbes(0, 0, List.of()) : remove((MethodPattern) null);
    }

    /** Switches the reports of the matching probed methods on or off, and returns their number. */
    public synchronized int setReporting(String text, boolean on) {
        MethodPattern pattern = pattern(text);
        int count = 0;
        for (WatchedClass each : present) {
            for (ProbedCode method : each.methods()) {
                if (matches(pattern, method)) {
                    method.setReports(on);
                    count++;
                }
            }
        }
        return count;
    }

    public synchronized List<ProbedMethod> list() {
        dropUnloaded();
        List<ProbedMethod> all = new ArrayList<>();
        for (WatchedClass each : present) {
            for (ProbedCode method : each.methods()) {
                all.add(method.describe());
            }
        }
        return Collections.unmodifiableList(all);
    }

    /**
     * Counts the frames of platform threads that run replaced code.
     *
     * @throws ProfilerException if the JVM does not enumerate its threads
     */
    public int countFrames() {
        long frames = number(jvm.call(ProbeCall.FRAMES, null));
        if (frames < 0) {
            throw new ProfilerException(Status.FAILED, "the JVM does not enumerate its threads");
        }
        return (int) frames;
    }

    /** Switches reports off on this thread. Returns false if they are off already. */
    public boolean enterCallback() {
        return delivery.enterCallback();
    }

    /** Undoes {@link #enterCallback}, if it returned true. */
    public void leaveCallback() {
        delivery.leaveCallback();
    }

    /** Returns true if a callback for a probe has not returned. */
    public boolean isRunning() {
        return delivery.isRunning();
    }

    /**
     * Inserts the probes into the class file of a class that is being redefined. Takes no lock.
     *
     * @param in the class, its class file, and null if this object itself has requested the redefinition
     * @return null if the class file stays as it is
     */
    public byte @Nullable [] redefined(Object[] in) {
        WatchedClass of = ProbeSelection.find(wanted, (Class<?>) in[0]);
        if (of == null || of.methods().isEmpty()) {
            return null;
        }
        Insertion made = ProbeCode.insert((byte[]) in[1], of.numbers());
        if (in[2] == null) {
            of.setRefusals(made.refusals());
        }
        return made.classFile();
    }

    private static MethodPattern pattern(String text) {
        try {
            return MethodPattern.parse(text);
        } catch (MalformedPattern e) {
            throw new ProfilerException(Status.FAILED, String.valueOf(e.getMessage()));
        }
    }

    private static boolean matches(@Nullable MethodPattern pattern, ProbedCode method) {
        return pattern == null
                || pattern.matchesClass(method.className())
                        && pattern.matchesMethod(method.name(), method.descriptor());
    }

    private static int count(List<WatchedClass> classes) {
        int count = 0;
        for (WatchedClass each : classes) {
            count += each.methods().size();
        }
        return count;
    }

    /** Returns the methods that have no probe yet. */
    private List<ProbedCode> newMethods(WatchedClass changed) {
        WatchedClass known = find(present, changed);
        List<ProbedCode> methods = new ArrayList<>();
        for (ProbedCode each : changed.methods()) {
            if (known == null || !known.has(each.nameAndDescriptor())) {
                methods.add(each);
            }
        }
        return methods;
    }

    private static @Nullable WatchedClass find(List<WatchedClass> in, WatchedClass same) {
        for (WatchedClass each : in) {
            if (each.id().equals(same.id())) {
                return each;
            }
        }
        return null;
    }

    /** Returns the classes of the first list, with those of the second in place of their former states. */
    private static List<WatchedClass> replaced(List<WatchedClass> classes, List<WatchedClass> by) {
        List<WatchedClass> all = new ArrayList<>(by);
        for (WatchedClass each : classes) {
            if (find(by, each) == null) {
                all.add(each);
            }
        }
        return all;
    }

    private static Class<?>[] types(List<WatchedClass> classes) {
        List<Class<?>> types = new ArrayList<>();
        for (WatchedClass each : classes) {
            Class<?> type = each.type();
            if (type != null) {
                types.add(type);
            }
        }
        return types.toArray(new Class<?>[0]);
    }

    private static long number(@Nullable Object answer) {
        if (answer == null) {
            throw new ProfilerException(Status.FAILED, "the program's heap has no room");
        }
        return ((long[]) answer)[0];
    }

    /** Watches the classes of one list, and redefines those of the other. */
    private void change(List<WatchedClass> all, List<WatchedClass> changed) {
        wanted = all;
        long failed = number(jvm.call(ProbeCall.WATCH, types(all)));
        if (failed == 0) {
            failed = number(jvm.call(ProbeCall.RETRANSFORM, types(changed)));
        }
        if (failed != 0) {
            throw new ProfilerException(
                    Status.FAILED,
                    "the JVM refuses the changed code (JVMTI error " + failed + "): another agent may change it too");
        }
    }

    /**
     * Undoes a change that failed. The JVM changes all classes of a request or none, but another agent may have
     * redefined one of them meanwhile.
     */
    private void restore(List<WatchedClass> changed) {
        wanted = present;
        Object unused = jvm.call(ProbeCall.WATCH, types(present));
        unused = jvm.call(ProbeCall.RETRANSFORM, types(changed));
    }

    /** Keeps the methods that have a probe now, and returns the new ones. */
    private List<ProbedMethod> settle(List<WatchedClass> changed, Refusals refusals) {
        List<ProbedMethod> probed = new ArrayList<>();
        List<WatchedClass> settled = new ArrayList<>();
        for (WatchedClass each : changed) {
            Class<?> type = each.type();
            if (type == null) {
                continue;
            }
            Map<String, ProbedCode> methods = each.and(Map.of());
            for (ProbedCode method : newMethods(each)) {
                ProbeRefusal reason = each.refusals().get(method.nameAndDescriptor());
                if (reason == null && !hasProbe(type, Set.of(method.nameAndDescriptor()))) {
                    reason = ProbeRefusal.REPLACED_BY_AGENT;
                }
                if (reason == null) {
                    probed.add(method.describe());
                } else {
                    refusals.add(reason, type, method.nameAndDescriptor());
                    methods.remove(method.nameAndDescriptor());
                    targets.remove(method);
                }
            }
            if (!methods.isEmpty()) {
                settled.add(each.with(methods));
            }
        }
        List<WatchedClass> rest = new ArrayList<>();
        for (WatchedClass each : present) {
            if (find(changed, each) == null) {
                rest.add(each);
            }
        }
        rest.addAll(settled);
        commit(rest);
        return probed;
    }

    private void commit(List<WatchedClass> classes) {
        present = classes;
        wanted = classes;
        Object unused = jvm.call(ProbeCall.WATCH, types(classes));
    }

    /** Returns true if one of these methods contains a probe, or cannot be read. */
    private boolean hasProbe(Class<?> type, Set<String> methods) {
        ClassCode code = ClassCode.read(jvm, type);
        try {
            return code == null || code.record(methods).hasProbe();
        } catch (MalformedCode e) {
            return true;
        }
    }

    private RemovedProbes remove(@Nullable MethodPattern pattern) {
        dropUnloaded();
        List<WatchedClass> changed = new ArrayList<>();
        Map<WatchedClass, Map<String, ProbedCode>> removed = new LinkedHashMap<>();
        for (WatchedClass each : present) {
            Map<String, ProbedCode> left = new HashMap<>();
            Map<String, ProbedCode> gone = new HashMap<>();
            for (ProbedCode method : each.methods()) {
                (matches(pattern, method) ? gone : left).put(method.nameAndDescriptor(), method);
            }
            if (!gone.isEmpty()) {
                WatchedClass without = each.with(left);
                changed.add(without);
                removed.put(without, gone);
            }
        }
        if (changed.isEmpty()) {
            return new RemovedProbes(0, countFrames(), List.of());
        }
        List<ClassId> different = takeOut(changed, removed);
        int count = 0;
        for (Map<String, ProbedCode> methods : removed.values()) {
            for (ProbedCode each : methods.values()) {
                targets.remove(each);
                count++;
            }
        }
        return new RemovedProbes(count, countFrames(), Collections.unmodifiableList(different));
    }

    /** Restores the code, and returns the classes whose code is not the former one. */
    private List<ClassId> takeOut(List<WatchedClass> changed, Map<WatchedClass, Map<String, ProbedCode>> removed) {
        List<WatchedClass> left = new ArrayList<>();
        for (WatchedClass each : replaced(present, changed)) {
            if (!each.methods().isEmpty()) {
                left.add(each);
            }
        }
        List<ClassId> different = new ArrayList<>();
        try {
            change(replaced(present, changed), changed);
            for (WatchedClass each : changed) {
                Map<String, ProbedCode> methods = removed.getOrDefault(each, Map.of());
                if (!isOriginal(each, methods.keySet())) {
                    different.add(each.id());
                }
            }
        } catch (ProfilerException e) {
            restore(changed);
            throw new ProfilerException(
                    Status.IRREVERSIBLE_INSTRUMENTATION, "probes cannot be removed: ".concat(e.getMessage()));
        }
        commit(left);
        return different;
    }

    /**
     * Compares the methods that had a probe, and all methods of a class that has no probe any more.
     *
     * @throws ProfilerException if a probe is left, or the code cannot be read
     */
    private boolean isOriginal(WatchedClass changed, Set<String> methods) {
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

    /** Drops the classes that have been unloaded, with the targets of their probes. */
    private void dropUnloaded() {
        List<WatchedClass> alive = new ArrayList<>();
        for (WatchedClass each : present) {
            if (each.type() != null) {
                alive.add(each);
            } else {
                for (ProbedCode method : each.methods()) {
                    targets.remove(method);
                }
            }
        }
        if (alive.size() < present.size()) {
            commit(alive);
        }
    }
}
