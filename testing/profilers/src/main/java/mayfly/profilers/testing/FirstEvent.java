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

/**
 * Asks for every event that there is after an attach, if its data are {@code all}, else for none. Any command is
 * answered with the first that it was told, as {@code NANOS CALLBACK}: {@link System#nanoTime()}, which on Linux all
 * processes share; or with {@code none}.
 */
public final class FirstEvent implements Profiler {
    private final AtomicReference<String> first = new AtomicReference<>("none");

    @Override
    public void initializeForAttach(ProfilerInfo info, Optional<byte[]> clientData) {
        // No EnumSet: in each cycle of the bench there is another class Event, for which the JVM would compile its methods again.
        Set<Event> events = new HashSet<>();
        if (clientData.isPresent() && new String(clientData.get(), StandardCharsets.UTF_8).equals("all")) {
            for (Event event : Event.values()) {
                if (event.isAllowedAfterAttach()) {
                    events.add(event);
                }
            }
        }
        info.setEventMask(events);
    }

    private void told(String callback) {
        if (first.get().equals("none")) {
            // Not by +, for which the JVM would generate code in each cycle of the bench.
            first.compareAndSet("none", Long.toString(System.nanoTime()).concat(" ").concat(callback));
        }
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        told("threadCreated");
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        told("threadDestroyed");
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        told("classLoaded");
    }

    @Override
    public void garbageCollectionFinished(Stamp at) {
        told("garbageCollectionFinished");
    }

    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        told("methodCompiled");
    }

    @Override
    public byte[] command(byte[] command) {
        return first.get().getBytes(StandardCharsets.UTF_8);
    }
}
