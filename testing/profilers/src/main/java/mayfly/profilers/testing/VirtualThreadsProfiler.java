package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import mayfly.api.Event;
import mayfly.api.HiddenFrames;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.ThreadId;

/**
 * Counts the virtual threads that start and end. The commands are in {@link #command}; {@code started} and {@code
 * ended} answer with the number of threads and the sum of their ids.
 */
public final class VirtualThreadsProfiler implements Profiler {
    private final Set<Long> live = ConcurrentHashMap.newKeySet();
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong startedIds = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong endedIds = new AtomicLong();
    private final AtomicLong endedWithoutStart = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final Set<Long> platform = ConcurrentHashMap.newKeySet();
    private final Set<Long> virtual = ConcurrentHashMap.newKeySet();
    private volatile boolean starting;
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        info.setEventMask(
                EnumSet.of(Event.VIRTUAL_THREADS, Event.THREADS, Event.STACK_SNAPSHOTS), EnumSet.noneOf(Event.class));
    }

    @Override
    public void virtualThreadStarted(Stamp at, ThreadId thread) {
        started.incrementAndGet();
        startedIds.addAndGet(thread.value());
        virtual.add(thread.value());
        check(live.add(thread.value()) && isCurrent(thread));
        if (starting) {
            starting = false;
            VirtualThreads.startIfThereAre(() -> {});
        }
    }

    @Override
    public void virtualThreadEnded(Stamp at, ThreadId thread) {
        ended.incrementAndGet();
        endedIds.addAndGet(thread.value());
        endedWithoutStart.addAndGet(live.remove(thread.value()) ? 0 : 1);
        check(isCurrent(thread));
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        platform.add(thread.value());
    }

    /**
     * The callback runs on the thread: its id is the caller's, and its stack can be walked. All frames of a thread that
     * starts or ends may be hidden ones of the JDK, because the compiler replaces the call that reports it.
     */
    private boolean isCurrent(ThreadId thread) {
        int[] frames = new int[1];
        info.doStackSnapshot(
                HiddenFrames.SHOW,
                (frame, count) -> {
                    count[0]++;
                    return true;
                },
                frames);
        return info.currentThread().equals(thread) && info.describe(thread).daemon() && frames[0] > 0;
    }

    private void check(boolean expected) {
        errors.addAndGet(expected ? 0 : 1);
    }

    @Override
    public byte[] command(byte[] command) {
        String answer = switch (new String(command, StandardCharsets.UTF_8)) {
            case "started" -> started + " " + startedIds;
            case "ended" -> ended + " " + endedIds;
            case "ended without start" -> endedWithoutStart.toString();
            case "both" -> Boolean.toString(platform.stream().anyMatch(virtual::contains));
            case "start" -> {
                starting = true;
                yield "the next virtual thread starts another one";
            }
            case "errors" -> errors.toString();
            default -> throw new IllegalArgumentException();
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }
}
