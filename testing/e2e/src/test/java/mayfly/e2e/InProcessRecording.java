package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import mayfly.discovery.Refused;
import mayfly.kit.Jvm;
import mayfly.profile.BadCapture;
import mayfly.profile.Profile;
import mayfly.profile.Stack;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;

/** Recordings made in the test's own JVM. */
final class InProcessRecording {
    private static final int BROKEN_SHOWN = 6;
    private static final int FRAMES_SHOWN = 5;

    private InProcessRecording() {}

    /** Records a target and reads the capture back. */
    static Profile of(Jvm jvm, int rateHz, Duration duration, Collector collector)
            throws IOException, Refused, BadCapture {
        return of(jvm, rateHz, duration, collector, Long.MAX_VALUE);
    }

    /** Records until there are that many samples, however long that takes on a busy machine. */
    static Profile samples(long count, Jvm jvm, int rateHz) throws IOException, Refused, BadCapture {
        return of(jvm, rateHz, Duration.ofMinutes(5), Collector.AUTO, count);
    }

    private static Profile of(Jvm jvm, int rateHz, Duration duration, Collector collector, long enough)
            throws IOException, Refused, BadCapture {
        Path folder = Files.createTempDirectory("mayfly-e2e");
        Path file = folder.resolve("recorded.mayfly");
        try {
            var options = new RecordingOptions(rateHz, duration, collector, false);
            try (RecordingSession session = RecordingSession.open((int) jvm.pid(), options, file)) {
                session.run((samples, elapsed, lost) -> {
                    if (samples >= enough) {
                        session.stop();
                    }
                });
            }
            Profile profile = CaptureReader.read(file);
            assertThat(profile.warnings()).as(evidence(profile)).isEmpty();
            return profile;
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /** Returns the ledger, and the outermost and innermost frames of some broken stacks, for a message. */
    static String evidence(Profile profile) {
        StringBuilder text = new StringBuilder();
        profile.ledger()
                .rows()
                .forEach(row ->
                        text.append(row.name()).append(": ").append(row.value()).append('\n'));
        Set<String> shown = new HashSet<>();
        for (int i = 0; i < profile.sampleCount() && shown.size() < BROKEN_SHOWN; i++) {
            WalkOutcome outcome = profile.outcomeOf(i);
            // Stacks that end in the same frame for the same reason are shown once.
            if (outcome.isBroken() && shown.add(outcome + " " + profile.frames().get(rootMost(profile, i)))) {
                Stack stack = profile.stack(i);
                int depth = stack.frames().size();
                text.append(outcome.id())
                        .append(" in ")
                        .append(profile.threads().get(profile.threadOf(i)).name())
                        .append(", ")
                        .append(depth)
                        .append(" frames, outermost first:\n");
                for (int f = 0; f < depth; f++) {
                    if (f < FRAMES_SHOWN || f >= depth - FRAMES_SHOWN) {
                        text.append("    ").append(stack.frames().get(f)).append('\n');
                    }
                }
            }
        }
        return text.toString();
    }

    /** Returns the frame at which a walk ended. */
    private static int rootMost(Profile profile, int sample) {
        int frame = 0;
        for (int stack = profile.stackOf(sample); stack != 0; stack = profile.parentOf(stack)) {
            frame = profile.frameOf(stack);
        }
        return frame;
    }
}
