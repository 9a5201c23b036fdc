package com.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import java.util.Set;
import mayfly.api.Event;
import mayfly.api.Profiler;
import mayfly.api.ProfilerInfo;
import mayfly.api.Stamp;
import mayfly.api.Suspension;

/** Emits each pause of its JVM: the time from the request to the end, in µs, and the reason. */
public final class Pauses implements Profiler {
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        info.setEventMask(Set.of(Event.SUSPENSIONS));
    }

    @Override
    public void runtimeSuspended(Stamp at, Suspension pause) {
        info.emit((pause.total().toNanos() / 1000 + " " + pause.reason()).getBytes(UTF_8));
    }
}
