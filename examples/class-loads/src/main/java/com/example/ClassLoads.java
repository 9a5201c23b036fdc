package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import mayfly.api.ClassDescription;
import mayfly.api.ClassId;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;

/**
 * Counts the loaded classes by loader and by second. The client data is a prefix: only classes whose names begin with
 * it are counted.
 */
public final class ClassLoads implements Profiler {
    private static final long SECOND = 1_000_000_000L;

    private final Map<String, LongAdder> byLoader = new ConcurrentHashMap<>();
    private ProfilerInfo info;
    private String prefix = "";
    private long second;
    private long inThisSecond;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        prefix = clientData.map(bytes -> new String(bytes, UTF_8)).orElse("");
        info.setEventMask(Set.of(Event.CLASS_LOADS));
    }

    @Override
    public void profilerAttachComplete() {
        info.emit(("loaded before: " + info.enumerateClasses().items().size() + " classes").getBytes(UTF_8));
    }

    /** Called on the thread that loads the class, so many threads call it concurrently. */
    @Override
    public void classLoaded(Stamp at, ClassId type) {
        try {
            ClassDescription loaded = info.describe(type);
            if (loaded.name().startsWith(prefix)) {
                byLoader.computeIfAbsent(loaded.loader().orElse("boot"), name -> new LongAdder())
                        .increment();
                // Outside of the lock, which every callback takes.
                countSecond(at.nanos()).ifPresent(line -> info.emit(line.getBytes(UTF_8)));
            }
        } catch (ProfilerException e) {
            // The class has been unloaded, or the profiler is being detached.
        }
    }

    /** Counts a class. If it is the first one of a new second, returns a line with the count of the previous second. */
    private synchronized Optional<String> countSecond(long nanos) {
        Optional<String> line = Optional.empty();
        if (nanos - second >= SECOND) {
            line = second == 0 ? line : Optional.of(inThisSecond + " classes in the previous second");
            second = nanos;
            inThisSecond = 0;
        }
        inThisSecond++;
        return line;
    }

    /** Answers any command with the loaders and their counts, in descending order of the count. */
    @Override
    public byte[] command(byte[] command) {
        return byLoader.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue().sum(), a.getValue().sum()))
                .map(entry -> entry.getValue() + "\t" + entry.getKey())
                .collect(Collectors.joining("\n"))
                .getBytes(UTF_8);
    }
}
