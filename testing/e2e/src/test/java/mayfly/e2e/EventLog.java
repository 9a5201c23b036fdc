package mayfly.e2e;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import mayfly.api.Event;
import mayfly.api.event.Delivery;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.channel.HostStatus;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Deadline;
import mayfly.kit.Jvm;
import mayfly.profilers.testing.LoggingProfiler;

/** The lines of an attached {@link LoggingProfiler}: one for each asynchronous event. */
final class EventLog {
    static final Duration PATIENCE = Scale.seconds(60, 600);

    private EventLog() {}

    /** Attaches the profiler to a JVM, without accepting the lasting cost of JVMTI. */
    static Attached attach(Jvm jvm, Path folder, String events) throws Exception {
        return Attached.by(new AttachRequest(
                Math.toIntExact(jvm.pid()),
                jar(folder, event -> event.canBe(Delivery.ASYNCHRONOUS)),
                Optional.empty(),
                Optional.of(events.getBytes(StandardCharsets.UTF_8)),
                Attached.LIMIT));
    }

    /** Attaches the profiler for synchronous events, and accepts the lasting cost of JVMTI. */
    static Attached attachSynchronous(Jvm jvm, Path folder, String events) throws Exception {
        return Attached.by(Attached.request(jvm, jar(folder, Event::isAllowedAfterAttach), "synchronous " + events));
    }

    private static Path jar(Path folder, Predicate<Event> events) throws Exception {
        return ProfilerJars.jar(
                folder.resolve("logging.jar"),
                ProfilerJars.manifest(LoggingProfiler.class.getName(), "1", ProfilerJars.names(events)));
    }

    /** Returns the lines that begin so. */
    static List<String> seen(Attached profiler, String begin) throws AttachFailed {
        return profiler.ask("seen")
                .lines()
                .filter(line -> line.startsWith(begin))
                .toList();
    }

    /** Waits until the lines that begin so fulfil a condition, and returns them. */
    static List<String> await(Attached profiler, String begin, Predicate<List<String>> condition) throws Exception {
        Deadline deadline = Deadline.in(PATIENCE);
        List<String> lines = seen(profiler, begin);
        while (!condition.test(lines)) {
            deadline.check("%s", lines);
            lines = seen(profiler, begin);
        }
        return lines;
    }

    static HostStatus status(Jvm jvm) throws AttachFailed {
        return ProfilerClient.status(Math.toIntExact(jvm.pid())).orElseThrow();
    }
}
