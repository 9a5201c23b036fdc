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

/** Which classes are loaded, by whom, and how fast. The data of the attach are a prefix: only classes whose names begin so. */
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
        info.emit(("there before: " + info.enumerateClasses().items().size() + " classes").getBytes(UTF_8));
    }

    /** On the thread that loads the class: many threads at once. */
    @Override
    public void classLoaded(Stamp at, ClassId type) {
        try {
            ClassDescription loaded = info.describe(type);
            if (loaded.name().startsWith(prefix)) {
                byLoader.computeIfAbsent(loaded.loader().orElse("boot"), name -> new LongAdder()).increment();
                countSecond(at.nanos());
            }
        } catch (ProfilerException e) {
            // The class has gone already, or we are being detached.
        }
    }

    private synchronized void countSecond(long nanos) {
        if (nanos - second >= SECOND) {
            info.emit((inThisSecond + " classes in the second before").getBytes(UTF_8));
            second = nanos;
            inThisSecond = 0;
        }
        inThisSecond++;
    }

    /** Any command is answered with the loaders, the busiest first. */
    @Override
    public byte[] command(byte[] command) {
        return byLoader.entrySet().stream().sorted((a, b) -> Long.compare(b.getValue().sum(), a.getValue().sum()))
                .map(entry -> entry.getValue() + "\t" + entry.getKey()).collect(Collectors.joining("\n")).getBytes(UTF_8);
    }
}
