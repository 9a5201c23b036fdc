package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import org.jspecify.annotations.Nullable;

/**
 * JFR's execution sampler with its profile settings and the requested period, controlled by jcmd. It samples only a few
 * threads each period, so the tables show the delivered rate.
 */
final class Jfr implements Rival {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private final Path folder;

    Jfr(Path folder) {
        this.folder = folder;
    }

    @Override
    public String name() {
        return "JFR (settings=profile, period as requested)";
    }

    @Override
    public boolean supports(Jdk jdk) {
        return jdk.feature() >= 17;
    }

    @Override
    public String completeMeans() {
        return "JFR: the stack is not marked as truncated (2,048 frames). Native frames are never shown, and samples"
                + " that"
                + " fail are dropped without being counted.";
    }

    @Override
    public Recorded record(Jvm jvm, int hz, Duration duration) throws RivalFailed {
        start(jvm, hz);
        Windows.rest(duration);
        return read(stop(jvm));
    }

    @Override
    public Toggle toggle(Jvm jvm, int hz) {
        return new Toggle() {
            private long samples;
            private long began;
            private long nanos;

            @Override
            public void on() throws RivalFailed {
                start(jvm, hz);
                began = System.nanoTime();
            }

            @Override
            public long onNanos() {
                return nanos;
            }

            @Override
            public void off() throws RivalFailed {
                nanos += System.nanoTime() - began;
                samples += read(stop(jvm)).counts().total();
            }

            @Override
            public long samples() {
                return samples;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public StartUp startUp(Jvm jvm, int hz) throws RivalFailed {
        Command done = start(jvm, hz);
        read(stop(jvm));
        return new StartUp(done.wall().toNanos() / 1e6, "`jcmd JFR.start` has started it");
    }

    private static Command start(Jvm jvm, int hz) throws RivalFailed {
        jcmd(jvm, List.of("JFR.configure", "stackdepth=2048"), true);
        String period = Math.max(1, 1000 / hz) + "ms";
        return jcmd(
                jvm,
                List.of(
                        "JFR.start",
                        "name=bench",
                        "settings=profile",
                        "jdk.ExecutionSample#period=" + period,
                        "jdk.NativeMethodSample#period=" + period),
                false);
    }

    /** Records allocation: the weights of jdk.ObjectAllocationSample, with the class at the leaf. */
    Counts allocations(Jvm jvm, Runnable work) throws RivalFailed {
        jcmd(jvm, List.of("JFR.start", "name=bench", "settings=profile"), false);
        work.run();
        Path file = stop(jvm);
        Map<String, Long> stacks = new TreeMap<>();
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals("jdk.ObjectAllocationSample")) {
                    String type = event.getClass("objectClass").getName();
                    String leaf = ";[new " + (type.equals("[B") ? "byte[]" : type) + "]";
                    stacks.merge(text(event.getStackTrace()) + leaf, event.getLong("weight"), Long::sum);
                }
            }
            Files.delete(file);
        } catch (IOException e) {
            throw new RivalFailed("read " + file, e);
        }
        return new Counts(stacks);
    }

    private Path stop(Jvm jvm) throws RivalFailed {
        Path file = folder.resolve("bench.jfr");
        jcmd(jvm, List.of("JFR.stop", "name=bench", "filename=" + file), false);
        return file;
    }

    private static Command jcmd(Jvm jvm, List<String> words, boolean mayFail) throws RivalFailed {
        List<String> command = new ArrayList<>(List.of(jvm.jdk().tool("jcmd").toString(), Long.toString(jvm.pid())));
        command.addAll(words);
        Command done = Command.run(LIMIT, command.toArray(String[]::new));
        if (!mayFail && done.exitCode() != 0) {
            throw new RivalFailed(done.evidence());
        }
        return done;
    }

    private static Recorded read(Path file) throws RivalFailed {
        Map<String, Long> stacks = new TreeMap<>();
        long truncated = 0;
        long total = 0;
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals("jdk.ExecutionSample")) {
                    RecordedStackTrace trace = event.getStackTrace();
                    total++;
                    truncated += trace == null || trace.isTruncated() ? 1 : 0;
                    stacks.merge(text(trace), 1L, Long::sum);
                }
            }
            Files.delete(file);
        } catch (IOException e) {
            throw new RivalFailed("read " + file, e);
        }
        return new Recorded(
                new Counts(stacks), total - truncated, truncated == 0 ? Map.of() : Map.of("truncated", truncated));
    }

    private static String text(@Nullable RecordedStackTrace trace) {
        if (trace == null) {
            return "[none]";
        }
        List<RecordedFrame> frames = new ArrayList<>(trace.getFrames());
        Collections.reverse(frames);
        return frames.stream()
                .map(f ->
                        f.getMethod().getType().getName() + "." + f.getMethod().getName())
                .collect(Collectors.joining(";"));
    }
}
