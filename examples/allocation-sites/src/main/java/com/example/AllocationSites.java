package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.Stamp;
import mayfly.api.Status;
import mayfly.api.event.AllocationSample;

/**
 * Estimates the bytes allocated by each call site: the first method on the stack that is not of the JDK, with its line
 * and the class of the objects. The client data are the sampling interval in bytes, by default 512 KiB.
 */
public final class AllocationSites implements Profiler {
    private static final int SHOWN = 20;
    /** The beginnings of the names of the JDK's classes. */
    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

    private final Map<String, LongAdder> bytesBySite = new ConcurrentHashMap<>();
    private final LongAdder samples = new LongAdder();
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        if (clientData.isPresent()) {
            info.setAllocationSamplingInterval(interval(new String(clientData.get(), UTF_8)));
        }
        info.setEventMask(Set.of(Event.ALLOCATIONS, Event.STACK_SNAPSHOTS));
    }

    private static long interval(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ProfilerException(Status.FAILED, "the data are the sampling interval in bytes, not " + text);
        }
    }

    /** Called on the thread that allocates, so many threads call it concurrently. */
    @Override
    public void allocationSampled(Stamp at, AllocationSample sample) {
        try {
            StringBuilder site = new StringBuilder();
            info.doStackSnapshot(AllocationSites::addSite, site);
            if (site.length() == 0) {
                site.append("only methods of the JDK");
            }
            site.append('\t').append(info.describe(sample.type()).name());
            bytesBySite
                    .computeIfAbsent(site.toString(), each -> new LongAdder())
                    .add(sample.estimatedBytes());
            samples.increment();
        } catch (ProfilerException e) {
            // The profiler is being detached.
        }
    }

    /** Keeps the first frame outside of the JDK. If it returned false, the walk would end with an exception. */
    private static boolean addSite(StackFrame frame, StringBuilder site) {
        if (site.length() == 0 && JDK.stream().noneMatch(frame.className()::startsWith)) {
            site.append(frame.className())
                    .append('.')
                    .append(frame.method())
                    .append(':')
                    .append(frame.line());
        }
        return true;
    }

    /** Answers {@code top} with the sites that have allocated most: MiB, share, method and line, class. */
    @Override
    public byte[] command(byte[] command) {
        if (!new String(command, UTF_8).equals("top")) {
            throw new ProfilerException(Status.FAILED, "the only command is: top");
        }
        double all = bytesBySite.values().stream().mapToLong(LongAdder::sum).sum();
        String sites = bytesBySite.entrySet().stream()
                .sorted((a, b) -> Long.compare(b.getValue().sum(), a.getValue().sum()))
                .limit(SHOWN)
                .map(entry -> line(entry.getKey(), entry.getValue().sum(), all))
                .collect(Collectors.joining("\n"));
        return ("estimated from " + samples + " samples\n" + sites).getBytes(UTF_8);
    }

    private static String line(String site, long bytes, double all) {
        long tenths = Math.round(bytes * 10.0 / (1 << 20));
        return tenths / 10 + "." + tenths % 10 + " MiB\t" + Math.round(bytes * 100 / all) + " %\t" + site;
    }
}
