package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import mayfly.api.Event;
import mayfly.api.HiddenFrames;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.StackFrame;
import mayfly.api.thread.Blocker;
import mayfly.api.thread.HeldMonitor;
import mayfly.api.thread.Locks;
import mayfly.api.thread.ThreadSnapshot;

/**
 * Answers the name of a {@link Locks} with a line for each thread: its number, name, state, blocker, the owner of that,
 * its monitors with their frames, its synchronizers, and its frames; or with the status of a refusal.
 */
public final class LocksProfiler implements Profiler {
    private ProfilerInfo info;

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> data) {
        info = runtime;
        info.setEventMask(Set.of(Event.STACK_SNAPSHOTS));
    }

    @Override
    public byte[] command(byte[] command) {
        Locks locks = Locks.valueOf(new String(command, StandardCharsets.UTF_8));
        String answer;
        try {
            answer = info.walkAllThreads(HiddenFrames.OMIT, locks).items().stream()
                    .map(LocksProfiler::line)
                    .collect(Collectors.joining("\n"));
        } catch (ProfilerException e) {
            answer = e.status() + ": " + e.getMessage();
        }
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    private static String line(ThreadSnapshot of) {
        return of.id().value() + "|" + of.name() + "|" + of.state() + "|"
                + of.blocker().map(LocksProfiler::text).orElse("-") + "|"
                + of.locks()
                        .map(locks ->
                                locks.owner().map(owner -> "" + owner.value()).orElse("-") + "|"
                                        + locks.monitors().stream()
                                                .map(LocksProfiler::text)
                                                .collect(Collectors.joining(","))
                                        + "|"
                                        + locks.synchronizers().stream()
                                                .map(LocksProfiler::text)
                                                .collect(Collectors.joining(",")))
                        .orElse("none||")
                + "|"
                + of.frames().stream().map(StackFrame::method).collect(Collectors.joining(","));
    }

    private static String text(Blocker of) {
        return of.className() + "@" + of.identity();
    }

    private static String text(HeldMonitor of) {
        return text(of.object()) + "@" + of.frame().orElse(-1);
    }
}
