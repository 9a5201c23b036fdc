package mayfly.host.probe.jvm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import mayfly.api.ClassId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.Status;
import mayfly.api.probe.AddedProbes;
import mayfly.api.probe.ProbeRefusal;
import mayfly.api.probe.ProbedMethod;
import mayfly.api.probe.RemovedProbes;
import mayfly.host.probe.Insertion;
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
    private final CodeChecks checks;

    /**
     * The classes that have probes. Another agent can take a probe out, and a later redefinition can put it back, so
     * each method stays here until its probe is removed. Protected by the lock.
     */
    private List<WatchedClass> present = List.of();
    /** The classes that get probes when they are redefined. It differs from the other list only during a change. */
    private volatile List<WatchedClass> wanted = List.of();

    /** @param profiler receives the calls of the probed methods */
    public Probes(Profiler profiler, ProbeJvm jvm) {
        this.jvm = jvm;
        this.delivery = new ProbeDelivery(profiler, jvm);
        this.targets = new ProbeTargets(jvm);
        this.checks = new CodeChecks(jvm);
    }

    /**
     * Adds probes: see {@link mayfly.api.ProfilerInfo#addProbes}.
     *
     * @throws ProfilerException if nothing was changed; with {@link Status#IRREVERSIBLE_INSTRUMENTATION} if the probes
     *         may be in place, and can be removed as all others
     */
    public synchronized AddedProbes add(String text) {
        MethodPattern pattern = pattern(text);
        targets.prepare();
        dropUnloaded();
        Refusals refusals = new Refusals();
        int count = WatchedClasses.count(present);
        List<WatchedClass> changed =
                new ProbeSelection(jvm, targets, checks, delivery, pattern, refusals, count).choose(present);
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
            change(WatchedClasses.replaced(present, changed), changed);
            List<ProbedMethod> probed = settle(changed, refusals);
            return new AddedProbes(Collections.unmodifiableList(probed), refusals.list());
        } catch (Throwable e) {
            if (!restored(changed)) {
                keep(changed, added);
                throw new ProfilerException(
                        Status.IRREVERSIBLE_INSTRUMENTATION,
                        "the probes may be in place and were not removed again: "
                                .concat(String.valueOf(e.getMessage())));
            }
            for (ProbedCode each : added) {
                targets.remove(each);
            }
            throw e;
        }
    }

    /** Lists the methods of a change that failed and could not be undone, so that a removal is tried again. */
    private void keep(List<WatchedClass> changed, List<ProbedCode> added) {
        for (ProbedCode each : added) {
            targets.put(each);
        }
        present = WatchedClasses.replaced(present, changed);
        wanted = present;
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
        return present.isEmpty() ? new RemovedProbes(0, OptionalInt.of(0), List.of()) : remove((MethodPattern) null);
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

    /**
     * Lists the methods that contain a probe now: see {@link mayfly.api.ProfilerInfo#probes}.
     *
     * @throws ProfilerException if the code of a class cannot be read
     */
    public synchronized List<ProbedMethod> list() {
        dropUnloaded();
        List<ProbedMethod> all = new ArrayList<>();
        for (WatchedClass each : present) {
            for (ProbedCode method : checks.inPlace(each)) {
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
        OptionalInt frames = frames();
        if (frames.isEmpty()) {
            throw new ProfilerException(
                    Status.FAILED,
                    "the frames cannot be counted: the JVM does not enumerate its threads, or its heap has no room");
        }
        return frames.getAsInt();
    }

    private OptionalInt frames() {
        Object counted = jvm.call(ProbeCall.FRAMES, null);
        long frames = counted == null ? -1 : ((long[]) counted)[0];
        return frames < 0 ? OptionalInt.empty() : OptionalInt.of((int) frames);
    }

    /** Returns true if a class has probes or gets them now. */
    public boolean isInUse() {
        return !wanted.isEmpty();
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
        WatchedClass of = WatchedClasses.find(wanted, (Class<?>) in[0]);
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

    /** Returns the methods that have no probe yet. */
    private List<ProbedCode> newMethods(WatchedClass changed) {
        WatchedClass known = WatchedClasses.find(present, changed);
        List<ProbedCode> methods = new ArrayList<>();
        for (ProbedCode each : changed.methods()) {
            if (known == null || !known.has(each.nameAndDescriptor())) {
                methods.add(each);
            }
        }
        return methods;
    }

    private static long number(@Nullable Object answer) {
        if (answer == null) {
            throw new ProfilerException(
                    Status.FAILED, "the program's heap has no room, or JVMTI is not in use any more");
        }
        return ((long[]) answer)[0];
    }

    /** Watches the classes of one list, and redefines those of the other. */
    private void change(List<WatchedClass> all, List<WatchedClass> changed) {
        check(number(jvm.call(ProbeCall.WATCH, WatchedClasses.types(all))));
        wanted = all;
        check(number(jvm.call(ProbeCall.RETRANSFORM, WatchedClasses.types(changed))));
    }

    private static void check(long failed) {
        if (failed != 0) {
            throw new ProfilerException(
                    Status.FAILED,
                    "the JVM refuses the changed code (JVMTI error " + failed + "): another agent may change it too");
        }
    }

    /**
     * Undoes a change that failed. The JVM changes all classes of a request or none, but another agent may have
     * redefined one of them meanwhile. Returns false if the classes may not be as they were.
     */
    private boolean restored(List<WatchedClass> changed) {
        if (wanted == present) {
            return true; // nothing was redefined
        }
        wanted = present;
        List<WatchedClass> former = formerStates(changed);
        for (WatchedClass each : former) {
            each.setRefusals(null);
        }
        try {
            check(number(jvm.call(ProbeCall.RETRANSFORM, WatchedClasses.types(changed))));
            for (WatchedClass each : former) {
                CodeChecks.requireInsertion(each);
            }
            Object unused = jvm.call(ProbeCall.WATCH, WatchedClasses.types(present)); // as in commit
            return true;
        } catch (ProfilerException | OutOfMemoryError e) {
            return false;
        }
    }

    private List<WatchedClass> formerStates(List<WatchedClass> changed) {
        List<WatchedClass> former = new ArrayList<>();
        for (WatchedClass each : present) {
            if (WatchedClasses.find(changed, each) != null) {
                former.add(each);
            }
        }
        return former;
    }

    /** Keeps the methods that have a probe now, and returns the new ones. */
    private List<ProbedMethod> settle(List<WatchedClass> changed, Refusals refusals) {
        List<ProbedMethod> probed = new ArrayList<>();
        List<WatchedClass> settled = new ArrayList<>();
        List<WatchedClass> lost = new ArrayList<>();
        for (WatchedClass each : changed) {
            Class<?> type = each.type();
            if (type == null) {
                continue;
            }
            Map<String, ProbeRefusal> missing = checks.missing(each, type);
            WatchedClass former = WatchedClasses.find(present, each);
            ProbeRefusal loss = former == null ? null : CodeChecks.loss(former, missing);
            if (former != null && loss != null) {
                for (ProbedCode method : newMethods(each)) {
                    missing.putIfAbsent(method.nameAndDescriptor(), loss);
                }
                lost.add(former.with(former.and(Map.of())));
            }
            Map<String, ProbedCode> methods = each.and(Map.of());
            for (ProbedCode method : newMethods(each)) {
                ProbeRefusal reason = missing.get(method.nameAndDescriptor());
                if (reason == null) {
                    probed.add(method.describe());
                } else {
                    refusals.add(reason, type, method.nameAndDescriptor());
                    methods.remove(method.nameAndDescriptor());
                    targets.remove(method);
                }
            }
            if (loss == null && !methods.isEmpty()) {
                settled.add(each.with(methods));
            }
        }
        List<WatchedClass> rest = new ArrayList<>(settled);
        rest.addAll(lost);
        for (WatchedClass each : present) {
            if (WatchedClasses.find(changed, each) == null) {
                rest.add(each);
            }
        }
        if (!lost.isEmpty()) {
            change(rest, lost);
            for (WatchedClass each : lost) {
                CodeChecks.requireInsertion(each);
            }
        }
        commit(rest);
        return probed;
    }

    /** The library still watches the classes of the last change: the rest of them, and perhaps some without probes. */
    private void commit(List<WatchedClass> classes) {
        boolean fewer = classes.size() < wanted.size();
        present = classes;
        wanted = classes;
        if (fewer) {
            // If this fails, the library passes redefinitions on that redefined() leaves as they are.
            Object unused = jvm.call(ProbeCall.WATCH, WatchedClasses.types(classes));
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
            return new RemovedProbes(0, frames(), List.of());
        }
        Set<ProbedCode> inPlace = new HashSet<>();
        List<ClassId> different = takeOut(changed, removed, inPlace);
        int count = 0;
        for (Map<String, ProbedCode> methods : removed.values()) {
            for (ProbedCode each : methods.values()) {
                targets.remove(each);
                count += inPlace.contains(each) ? 1 : 0;
            }
        }
        return new RemovedProbes(count, frames(), Collections.unmodifiableList(different));
    }

    /**
     * Restores the code, and returns the classes whose code is not the former one.
     *
     * @param inPlace receives the methods of these classes that contain a probe before that
     */
    private List<ClassId> takeOut(
            List<WatchedClass> changed, Map<WatchedClass, Map<String, ProbedCode>> removed, Set<ProbedCode> inPlace) {
        List<WatchedClass> left = new ArrayList<>();
        for (WatchedClass each : WatchedClasses.replaced(present, changed)) {
            if (!each.methods().isEmpty()) {
                left.add(each);
            }
        }
        List<ClassId> different = new ArrayList<>();
        try {
            for (WatchedClass each : formerStates(changed)) {
                inPlace.addAll(checks.inPlace(each));
            }
            change(WatchedClasses.replaced(present, changed), changed);
            for (WatchedClass each : changed) {
                CodeChecks.requireInsertion(each);
                Map<String, ProbedCode> methods = removed.getOrDefault(each, Map.of());
                if (!checks.isOriginal(each, methods.keySet())) {
                    different.add(each.id());
                }
            }
        } catch (ProfilerException | OutOfMemoryError e) {
            boolean unused = restored(changed);
            throw new ProfilerException(
                    Status.IRREVERSIBLE_INSTRUMENTATION,
                    "probes cannot be removed: ".concat(String.valueOf(e.getMessage())));
        }
        commit(left);
        return different;
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
