package mayfly.host;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import mayfly.api.ClassId;
import mayfly.api.Enumerated;
import mayfly.api.Event;
import mayfly.api.ProfilerException;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;
import mayfly.api.code.ClassStructure;
import mayfly.api.code.CodeInfo;
import mayfly.api.code.FieldDescription;
import mayfly.api.code.FieldId;
import mayfly.api.code.LineNumber;
import mayfly.api.code.LoaderDescription;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodDescription;
import mayfly.api.code.MethodId;
import mayfly.api.event.MonitorInfo;
import mayfly.api.heap.ClassCount;
import mayfly.api.heap.CollectionOutcome;
import mayfly.api.heap.HeapInfo;
import mayfly.api.heap.ReferenceCount;
import mayfly.api.heap.ReferenceStep;
import mayfly.api.probe.AddedProbes;
import mayfly.api.probe.ProbeInfo;
import mayfly.api.probe.ProbedMethod;
import mayfly.api.probe.RemovedProbes;
import mayfly.host.probe.jvm.Probes;

/** The calls of {@link HostedProfilerInfo} for code, heap, monitors and probes. */
abstract sealed class HostedQuestions implements CodeInfo, HeapInfo, MonitorInfo, ProbeInfo permits HostedProfilerInfo {
    private static final long MIN_VISIT_NANOS = 1_000_000;
    private static final long MAX_VISIT_SECONDS = 60;

    final Life life;
    final Events events;
    final Ids ids;
    final Queries queries;

    HostedQuestions(Life life, Events events) {
        this.life = life;
        this.events = events;
        this.ids = events.ids();
        this.queries = new Queries(ids);
    }

    @Override
    public LoaderDescription describe(LoaderId id) {
        life.mustAnswer();
        return queries.describe(id);
    }

    @Override
    public MethodDescription describe(MethodId id) {
        life.mustAnswer();
        return queries.describe(id);
    }

    @Override
    public FieldDescription describe(FieldId id) {
        life.mustAnswer();
        return queries.describe(id);
    }

    @Override
    public ClassStructure structure(ClassId id) {
        life.mustAnswer();
        return queries.structure(id);
    }

    @Override
    public List<MethodDescription> methods(ClassId id) {
        life.mustAnswer();
        return queries.methods(id);
    }

    @Override
    public List<FieldDescription> fields(ClassId id) {
        life.mustAnswer();
        return queries.fields(id);
    }

    @Override
    public List<LineNumber> lines(MethodId id) {
        life.mustAnswer();
        return queries.lines(id);
    }

    @Override
    public byte[] bytecodes(MethodId id) {
        life.mustBeActive();
        // One at a time, and not while events are prepared: both may acquire JVMTI.
        synchronized (events) {
            return queries.bytecodes(id);
        }
    }

    @Override
    public CollectionOutcome forceGarbageCollection() {
        life.mustBeActive();
        return queries.collect();
    }

    @Override
    public Enumerated<ClassCount> classHistogram() {
        life.mustBeActive();
        return new Enumerated<>(now(), queries.histogram());
    }

    @Override
    public Enumerated<ReferenceCount> countReferences(Duration longest) {
        life.mustBeActive();
        // Not by Duration.toNanos, as in Host.requestDetach.
        long seconds = longest.getSeconds();
        boolean inRange =
                seconds >= 0 && (seconds < MAX_VISIT_SECONDS || seconds == MAX_VISIT_SECONDS && longest.getNano() == 0);
        long nanos = inRange ? seconds * 1_000_000_000 + longest.getNano() : 0;
        if (nanos < MIN_VISIT_NANOS) {
            throw new ProfilerException(
                    Status.FAILED, "the time of a visit of the heap is from 1 ms to 1 minute, not " + longest);
        }
        // As in pathToLoader.
        synchronized (events) {
            return new Enumerated<>(now(), queries.countReferences(nanos));
        }
    }

    @Override
    public Optional<List<ReferenceStep>> pathToLoader(ClassId id) {
        life.mustBeActive();
        // One at a time, and not while events are prepared: both may acquire JVMTI.
        synchronized (events) {
            return queries.pathToLoader(id);
        }
    }

    @Override
    public Optional<ThreadId> monitorOwner() {
        life.mustAnswer();
        return events.objects().monitorOwner();
    }

    private Probes mayProbe() {
        life.mustBeActive();
        Probes probes = events.probes();
        if (probes == null || !events.has(Event.METHOD_PROBES)) {
            throw new ProfilerException(
                    Status.UNSUPPORTED_FOR_ATTACHING_PROFILER, "probes need a subscription to " + Event.METHOD_PROBES);
        }
        return probes;
    }

    @Override
    public AddedProbes addProbes(String pattern) {
        Probes probes = mayProbe();
        synchronized (probes) {
            // Again: a detach that has waited for the lock may have begun, or the subscription ended.
            return mayProbe().add(pattern);
        }
    }

    @Override
    public RemovedProbes removeProbes(String pattern) {
        return mayProbe().remove(pattern);
    }

    @Override
    public int setProbesReporting(String pattern, boolean reporting) {
        return mayProbe().setReporting(pattern, reporting);
    }

    @Override
    public List<ProbedMethod> probes() {
        return mayProbe().list();
    }

    @Override
    public int framesOfReplacedCode() {
        return mayProbe().countFrames();
    }

    /** Returns the stamp of an enumeration that begins now. */
    Stamp now() {
        return new Stamp(ids.nextSequence(), System.nanoTime());
    }
}
