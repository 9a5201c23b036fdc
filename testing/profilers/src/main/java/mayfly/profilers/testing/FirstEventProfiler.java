package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;
import mayfly.api.event.Delivery;

/**
 * Subscribes to every event that is available after an attach if its data are {@code all}, except probes, which report
 * nothing until methods are chosen; to those that can be asynchronous if they are {@code asynchronous}; else to none.
 * The command {@code retain} adds a shutdown hook, which the profiler never removes. It answers any other command with
 * the first event that it received, as {@code NANOS CALLBACK}, or with {@code none}. NANOS is {@link
 * System#nanoTime()}, which on Linux is the same clock in all processes.
 */
public final class FirstEventProfiler implements Profiler {
    private final AtomicReference<String> first = new AtomicReference<>("none");

    @Override
    public void initializeForAttach(ProfilerInfo info, Optional<byte[]> clientData) {
        // Not an EnumSet: each cycle of the benchmark loads another class Event, and the JVM would compile the methods
        // of the set again for it.
        Set<Event> events = new HashSet<>();
        String words = new String(clientData.orElse(new byte[0]), StandardCharsets.UTF_8);
        boolean asynchronous = words.equals("asynchronous");
        for (Event event : Event.values()) {
            boolean wanted = asynchronous
                    ? event.canBe(Delivery.ASYNCHRONOUS)
                    : words.equals("all") && event.isAllowedAfterAttach() && event != Event.METHOD_PROBES;
            if (wanted && event.since() <= Runtime.version().feature()) {
                events.add(event);
            }
        }
        if (asynchronous) {
            info.setEventMask(Set.of(), events);
        } else {
            info.setEventMask(events);
        }
    }

    private void received(String callback) {
        if (first.get().equals("none")) {
            // Not the operator +, for which the JVM would generate code in each cycle of the benchmark.
            first.compareAndSet(
                    "none", Long.toString(System.nanoTime()).concat(" ").concat(callback));
        }
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        received("threadCreated");
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        received("threadDestroyed");
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        received("classLoaded");
    }

    @Override
    public void garbageCollectionFinished(Stamp at) {
        received("garbageCollectionFinished");
    }

    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        received("methodCompiled");
    }

    @Override
    public byte[] command(byte[] command) {
        if (new String(command, StandardCharsets.UTF_8).equals("retain")) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> first.set("ended")));
        }
        return first.get().getBytes(StandardCharsets.UTF_8);
    }
}
