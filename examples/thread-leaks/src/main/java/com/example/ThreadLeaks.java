package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.ThreadId;

/**
 * Reports the threads that were created since the attach and are alive, grouped by their names and stacks. The threads
 * of a leak have names that differ only in a number, and wait in the same place, so a leak is a group that grows.
 */
public final class ThreadLeaks implements Profiler {
    private static final int FRAMES = 10;

    private final Set<ThreadId> alive = ConcurrentHashMap.newKeySet();
    private final Set<ThreadId> before = ConcurrentHashMap.newKeySet();
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        info.setEventMask(Set.of(Event.THREADS, Event.STACK_SNAPSHOTS));
    }

    @Override
    public void profilerAttachComplete() {
        before.addAll(info.enumerateThreads().items());
        info.emit((before.size() + " threads before").getBytes(UTF_8));
    }

    @Override
    public void threadCreated(Stamp at, ThreadId thread) {
        alive.add(thread);
    }

    @Override
    public void threadDestroyed(Stamp at, ThreadId thread) {
        alive.remove(thread);
    }

    /** Answers {@code report} with the groups in descending order of their sizes: size, name, and stack. */
    @Override
    public byte[] command(byte[] command) {
        if (!new String(command, UTF_8).equals("report")) {
            throw new ProfilerException(Status.FAILED, "the only command is: report");
        }
        Map<String, Integer> groups = new HashMap<>();
        for (ThreadId thread : alive) {
            if (!before.contains(thread)) {
                group(thread).ifPresent(name -> groups.merge(name, 1, Integer::sum));
            }
        }
        return groups.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, Integer> group) -> -group.getValue())
                        .thenComparing(Map.Entry::getKey))
                .map(group -> group.getValue() + "\t" + group.getKey())
                .collect(Collectors.joining("\n"))
                .getBytes(UTF_8);
    }

    /** Returns the name of the thread with its numbers replaced, and its top frames; empty if it has ended. */
    private Optional<String> group(ThreadId thread) {
        List<String> lines = new ArrayList<>();
        try {
            lines.add(info.describe(thread).name().replaceAll("[0-9]+", "#"));
            info.doStackSnapshot(
                    thread,
                    (frame, stack) -> {
                        if (stack.size() <= FRAMES) {
                            stack.add("\tat " + frame.className() + "." + frame.method());
                        }
                        return true;
                    },
                    lines);
        } catch (ProfilerException e) {
            if (e.status() != Status.THREAD_GONE) {
                throw e;
            }
            return Optional.empty();
        }
        return Optional.of(String.join("\n", lines));
    }
}
