package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import mayfly.api.ClassId;
import mayfly.api.CompiledMethod;
import mayfly.api.Event;
import mayfly.api.ModuleId;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;

/**
 * Throws every kind of exception from every callback except its initialisation. It ends the JVM if its data or a
 * command is {@code exit}. The command {@code interrupt} interrupts the thread of the call, and {@code count} returns
 * the number of exceptions thrown.
 */
public final class ThrowingProfiler implements Profiler {
    private static final int EXIT_STATUS = 3;

    private final AtomicLong thrown = new AtomicLong();

    @Override
    public void initializeForAttach(ProfilerInfo info, Optional<byte[]> clientData) {
        if (clientData.isPresent() && new String(clientData.get(), StandardCharsets.UTF_8).equals("exit")) {
            System.exit(EXIT_STATUS);
        }
        Set<Event> all = EnumSet.allOf(Event.class);
        all.removeIf(event -> !event.isAllowedAfterAttach()
                || event.since() > Runtime.version().feature());
        info.setEventMask(all);
    }

    private void fail() {
        switch ((int) (thrown.incrementAndGet() % 6)) {
            case 0 -> throw new IllegalStateException("thrown by a callback");
            case 1 -> throw new OutOfMemoryError("thrown by a callback");
            case 2 -> throw new LinkageError("thrown by a callback");
            case 3 -> deeper(0);
            case 4 -> ThrowingProfiler.<RuntimeException>unchecked(new InterruptedException("thrown by a callback"));
            default -> throw new Silent();
        }
    }

    private static long deeper(long depth) {
        return depth < 0 ? 0 : deeper(depth + 1) + 1;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void unchecked(Throwable checked) throws T {
        throw (T) checked;
    }

    /** Throws again when its message is requested. */
    private static final class Silent extends Error {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw this;
        }

        @Override
        public String toString() {
            throw this;
        }
    }

    @Override
    public byte[] command(byte[] command) {
        switch (new String(command, StandardCharsets.UTF_8)) {
            case "exit" -> System.exit(EXIT_STATUS);
            case "interrupt" -> Thread.currentThread().interrupt();
            case "count" -> {}
            default -> fail();
        }
        return Long.toString(thrown.get()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        fail();
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        fail();
    }

    @Override
    public void virtualThreadStarted(Stamp at, ThreadId thread) {
        fail();
    }

    @Override
    public void virtualThreadEnded(Stamp at, ThreadId thread) {
        fail();
    }

    @Override
    public void classLoaded(Stamp at, ClassId type) {
        fail();
    }

    @Override
    public void classUnloaded(Stamp at, ClassId type) {
        fail();
    }

    @Override
    public void moduleLoaded(Stamp at, ModuleId module) {
        fail();
    }

    @Override
    public void moduleUnloaded(Stamp at, ModuleId module) {
        fail();
    }

    @Override
    public void garbageCollectionStarted(Stamp at) {
        fail();
    }

    @Override
    public void garbageCollectionFinished(Stamp at) {
        fail();
    }

    @Override
    public void methodCompiled(Stamp at, CompiledMethod method) {
        fail();
    }

    @Override
    public void methodUnloaded(Stamp at, long address) {
        fail();
    }

    @Override
    public void profilerDetachSucceeded() {
        fail();
    }

    @Override
    public void shutdown() {
        fail();
    }
}
