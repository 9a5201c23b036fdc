package mayfly.client;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import mayfly.client.json.BadJson;
import mayfly.client.json.JsonObject;

/** The results of {@code record}, {@code ps} and {@code status}, read from their JSON. */
final class Results {
    private Results() {}

    /** See docs/formats/record-json.md. */
    record Recorded(
            Path file,
            String format,
            long pid,
            String mainClass,
            String jvmVersion,
            String event,
            String unit,
            String collector,
            long rateHz,
            Duration duration,
            long samples,
            long complete,
            long truncated,
            long shortened,
            long unproven,
            Map<String, Long> broken,
            long lost,
            long throttled,
            long duplicates,
            Duration sampledCpu,
            Optional<Duration> procCpu,
            long supersededFrames,
            long continuedStacks,
            long unsavedStacks,
            OptionalLong inferredLeaves,
            List<String> alarms,
            List<String> notes)
            implements Recording {

        Recorded {
            broken = Collections.unmodifiableMap(broken);
        }

        static Recorded of(JsonObject json) throws BadJson {
            return new Recorded(
                    path(json.text("output")),
                    json.text("format"),
                    json.number("pid"),
                    json.text("mainClass"),
                    json.text("jvmVersion"),
                    json.text("event"),
                    json.text("unit"),
                    json.text("collector"),
                    json.number("rateHz"),
                    json.nanos("durationNanos"),
                    json.number("samples"),
                    json.number("complete"),
                    json.number("truncated"),
                    json.number("shortened"),
                    json.number("unproven"),
                    json.numbers("broken"),
                    json.number("lost"),
                    json.number("throttled"),
                    json.number("duplicates"),
                    json.nanos("sampledCpuNanos"),
                    json.knownNanos("procCpuNanos"),
                    json.number("supersededFrames"),
                    json.number("continuedStacks"),
                    json.number("unsavedStacks"),
                    json.known("inferredLeaves"),
                    json.texts("alarms"),
                    json.texts("notes"));
        }

        private static Path path(String text) throws BadJson {
            try {
                return Path.of(text);
            } catch (InvalidPathException e) {
                throw new BadJson("output is not a path in the encoding of this JVM: " + e.getReason());
            }
        }
    }

    /** See docs/formats/ps-json.md. */
    record Runtime(
            long pid,
            String id,
            String version,
            String address,
            String mainClass,
            String user,
            Duration cpu,
            Duration uptime,
            OptionalLong cpuPercent,
            List<String> attached)
            implements JavaRuntime {

        static Runtime of(JsonObject json) throws BadJson {
            return new Runtime(
                    json.number("pid"),
                    json.text("runtime"),
                    json.text("version"),
                    json.text("address"),
                    json.text("mainClass"),
                    json.text("user"),
                    json.nanos("cpuNanos"),
                    json.nanos("uptimeNanos"),
                    json.known("cpuPercent"),
                    json.texts("attached"));
        }
    }

    /** See docs/formats/status-json.md. */
    record Status(
            long pid,
            String profiler,
            String state,
            boolean overdue,
            String runtime,
            String library,
            Duration attached,
            boolean jvmti,
            boolean remainingClasses,
            long callbacks,
            String longest,
            long lostEvents,
            long thrown,
            String pinnedBy)
            implements ProfilerStatus {

        static Status of(JsonObject json) throws BadJson {
            return new Status(
                    json.number("pid"),
                    json.text("profiler"),
                    json.text("state"),
                    json.flag("overdue"),
                    json.text("runtime"),
                    json.text("library"),
                    Duration.ofMillis(json.number("attachedMillis")),
                    json.flag("jvmti"),
                    json.flag("remainingClasses"),
                    json.number("callbacks"),
                    json.text("longest"),
                    json.number("lostEvents"),
                    json.number("thrown"),
                    json.text("pinnedBy"));
        }
    }
}
