package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mayfly.kit.Command;
import mayfly.kit.Counts;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.profile.BadCapture;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.event.Collector;

/** Mayfly as users run it: the launcher of this checkout. */
final class Mayfly implements Rival {
    private static final Pattern BROKEN = Pattern.compile("\"broken\"\\s*:\\s*\\{([^}]*)}");
    private static final Pattern NUMBER = Pattern.compile("\"([a-zA-Z_-]+)\"\\s*:\\s*(\\d+)");
    private final Path folder;
    private final Collector collector;

    Mayfly(Path folder, Collector collector) {
        this.folder = folder;
        this.collector = collector;
    }

    @Override
    public String name() {
        return "Mayfly (" + collector.id() + ")";
    }

    @Override
    public boolean supports(Jdk jdk) {
        return true;
    }

    @Override
    public String completeMeans() {
        return "Mayfly: the walk reached the thread's first frame, native frames included (outcome `complete` in the"
                + " ledger).";
    }

    @Override
    public Recorded record(Jvm jvm, int hz, Duration duration) throws RivalFailed {
        Path file = folder.resolve("mayfly.collapsed");
        Command done = launch(jvm, hz, duration, file);
        Map<String, Long> numbers = numbers(done.stdout());
        Map<String, Long> missing = new HashMap<>();
        Matcher broken = BROKEN.matcher(done.stdout());
        if (broken.find()) {
            missing.putAll(numbers(broken.group(1)));
        }
        for (String other : new String[] {"truncated", "lost"}) {
            if (numbers.getOrDefault(other, 0L) > 0) {
                missing.put(other, numbers.get(other));
            }
        }
        try {
            Counts counts = Counts.parse(Files.readString(file));
            Files.delete(file);
            return new Recorded(counts, numbers.getOrDefault("complete", 0L), missing);
        } catch (IOException e) {
            throw new RivalFailed("read " + file, e);
        }
    }

    private Command launch(Jvm jvm, int hz, Duration duration, Path file) throws RivalFailed {
        Command done = LaunchedMayfly.run(
                duration.plusMinutes(1),
                folder,
                "record",
                "-d",
                duration.toMillis() + "ms",
                "-F",
                Integer.toString(hz),
                "--collector",
                collector.id(),
                "-o",
                file.toString(),
                "--json",
                Long.toString(jvm.pid()));
        if (done.exitCode() != 0) {
            throw new RivalFailed("exit status " + done.exitCode() + ": "
                    + done.stderr().strip().lines().findFirst().orElse("nothing on stderr"));
        }
        return done;
    }

    /** Returns the numbers of a flat part of the result's JSON, by name. */
    static Map<String, Long> numbers(String json) {
        Map<String, Long> found = new HashMap<>();
        Matcher matcher = NUMBER.matcher(json);
        while (matcher.find()) {
            found.put(matcher.group(1), Long.parseLong(matcher.group(2)));
        }
        return found;
    }

    @Override
    public Toggle toggle(Jvm jvm, int hz) {
        return new MayflySessions(jvm, hz, collector, folder.resolve("mayfly-toggled.mayfly"));
    }

    /** Compares the first sample's own time with the time of the command: both are CLOCK_MONOTONIC. */
    @Override
    public StartUp startUp(Jvm jvm, int hz) throws RivalFailed {
        Path file = folder.resolve("start-up.mayfly");
        long began = System.nanoTime();
        launch(jvm, hz, Duration.ofSeconds(1), file);
        try {
            Profile profile = CaptureReader.read(file);
            Files.delete(file);
            long first = Long.MAX_VALUE;
            for (int i = 0; i < profile.sampleCount(); i++) {
                first = Math.min(first, profile.nanosOf(i));
            }
            if (first == Long.MAX_VALUE) {
                throw new RivalFailed("no samples of a busy target in a second");
            }
            return new StartUp((first - began) / 1e6, "the first sample");
        } catch (IOException | BadCapture e) {
            throw new RivalFailed("read " + file, e);
        }
    }
}
