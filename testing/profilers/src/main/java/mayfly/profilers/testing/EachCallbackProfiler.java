package mayfly.profilers.testing;

import static mayfly.profilers.testing.Outcome.outcome;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Suspension;
import mayfly.api.ThreadId;
import mayfly.api.code.LoaderId;
import mayfly.api.code.MethodId;
import mayfly.api.event.Compilation;
import mayfly.api.event.CompilationStart;
import mayfly.api.event.ContentionSample;
import mayfly.api.event.Delivery;
import mayfly.api.event.Deoptimization;
import mayfly.api.event.GarbageCollection;
import mayfly.api.event.ThreadAllocation;

/**
 * Subscribes to one event in one delivery, as in {@code THREADS SYNCHRONOUS}, and counts the calls of every callback.
 * The subscription is in its data or, at launch, in the property {@code mayfly.testing.script}; if that is empty, there
 * is none. The commands are {@code mask}, which replaces the subscription or ends it; {@code counts}, which answers
 * with {@link Counts#lines}; {@code probe PATTERN}, which adds probes; and {@code loaders}, which requests the ids of
 * all loaders, without which their unloading is not reported.
 */
public final class EachCallbackProfiler extends CountingProfiler {
    private ProfilerInfo info;

    @Override
    public void initialize(ProfilerInfo runtime) {
        info = runtime;
        subscribe(System.getProperty("mayfly.testing.script", ""));
    }

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        subscribe(new String(data.orElseThrow(), StandardCharsets.UTF_8));
    }

    private void subscribe(String subscription) {
        if (subscription.isEmpty()) {
            info.setEventMask(Set.of());
            return;
        }
        String[] words = subscription.split(" ");
        Set<Event> event = Set.of(Event.valueOf(words[0]));
        switch (Delivery.valueOf(words[1])) {
            case SYNCHRONOUS -> info.setEventMask(event, Set.of());
            case ASYNCHRONOUS -> info.setEventMask(Set.of(), event);
        }
    }

    private int loaders() {
        int requested = 0;
        for (ClassId type : info.enumerateClasses().items()) {
            // A class may have been unloaded since.
            requested += outcome(() -> info.describe(type).loaderId()).equals("OK") ? 1 : 0;
        }
        return requested;
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread, Optional<ThreadId> creator) {
        counts.add("threadCreated");
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        counts.add("threadDestroyed");
    }

    @Override
    public void virtualThreadStarted(Stamp at, ThreadId thread) {
        counts.add("virtualThreadStarted");
    }

    @Override
    public void virtualThreadEnded(Stamp at, ThreadId thread) {
        counts.add("virtualThreadEnded");
    }

    @Override
    public void classLoadStarted(Stamp at, Optional<String> className, Optional<LoaderId> loader) {
        counts.add("classLoadStarted");
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        counts.add("classLoaded");
    }

    @Override
    public void loaderUnloaded(Stamp at, LoaderId loader) {
        counts.add("loaderUnloaded");
    }

    @Override
    public void garbageCollectionStarted(Stamp at) {
        counts.add("garbageCollectionStarted");
    }

    @Override
    public void garbageCollected(Stamp at, GarbageCollection collection) {
        counts.add("garbageCollected");
    }

    @Override
    public void compilationStarted(Stamp at, CompilationStart compilation) {
        counts.add("compilationStarted");
    }

    @Override
    public void methodInstalled(Stamp at, Compilation compilation) {
        counts.add("methodInstalled");
    }

    @Override
    public void methodDeoptimized(Stamp at, Deoptimization deoptimization) {
        counts.add("methodDeoptimized");
    }

    @Override
    public void runtimeSuspended(Stamp at, Suspension suspension) {
        counts.add("runtimeSuspended");
    }

    @Override
    public void exceptionThrown(Stamp at, ThreadId thread, ClassId type) {
        counts.add("exceptionThrown");
    }

    @Override
    public void exceptionCaught(Stamp at, ThreadId thread, ClassId type) {
        counts.add("exceptionCaught");
    }

    @Override
    public void allocationObserved(Stamp at, ThreadAllocation allocation) {
        counts.add("allocationObserved");
    }

    @Override
    public void contentionObserved(Stamp at, ContentionSample sample) {
        counts.add("contentionObserved");
    }

    @Override
    public void methodEntered(MethodId method) {
        counts.add("methodEntered");
    }

    @Override
    public void methodLeft(MethodId method, boolean thrown) {
        counts.add("methodLeft");
    }

    @Override
    public void timer(Stamp at, long missed) {
        counts.add("timer");
    }

    @Override
    public byte[] command(byte[] command) {
        String[] words = new String(command, StandardCharsets.UTF_8).split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        String answer = switch (words[0]) {
            case "mask" -> outcome(() -> subscribe(rest));
            case "counts" -> counts.lines();
            case "probe" -> Integer.toString(info.addProbes(rest).methods().size());
            case "loaders" -> Integer.toString(loaders());
            default -> throw new IllegalArgumentException(words[0]);
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
