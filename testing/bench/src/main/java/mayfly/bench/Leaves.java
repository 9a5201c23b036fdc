package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import mayfly.bench.Rival.RivalFailed;
import mayfly.discovery.Refused;
import mayfly.hotspot.HotSpot;
import mayfly.hotspot.code.LeafReading;
import mayfly.hotspot.code.LeafRule;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.profile.BadCapture;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.capture.CaptureReader;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import mayfly.runtime.ManagedRuntime;

/**
 * The error of self time by method if a JVM has debug information at calls and polls only.
 *
 * <p>A JVM with {@code -XX:+DebugNonSafepoints} is sampled. Each sample is decoded as recorded, and by each rule with
 * the other debug information hidden: the samples are the same, so the whole difference is due to the rule. The error
 * is the total variation distance of the two distributions of self time by method: the share of the time that would
 * have to move. Other profilers cannot hide debug information, so their error is that of a JVM without the flag
 * compared with two JVMs with it.
 */
final class Leaves {
    private static final int HZ = 999;
    /** The warm-up, after which the hot methods are compiled. */
    private static final Duration WARM = Duration.ofSeconds(15);

    private static final String DIAGNOSTIC = "-XX:+UnlockDiagnosticVMOptions";
    private static final String FLAG = "-XX:+DebugNonSafepoints";

    /** Samples of one recording by the method at the leaf. */
    private static final class SelfTime {
        private final Map<String, Long> byMethod = new HashMap<>();
        private long total;

        void add(String method, long samples) {
            byMethod.merge(method, samples, Long::sum);
            total += samples;
        }

        long of(String method) {
            return byMethod.getOrDefault(method, 0L);
        }

        /** Returns the total variation distance, 0 to 1. */
        double distance(SelfTime other) {
            Set<String> methods = new HashSet<>(byMethod.keySet());
            methods.addAll(other.byMethod.keySet());
            double sum = 0;
            for (String method : methods) {
                sum += Math.abs((double) of(method) / total - (double) other.of(method) / other.total);
            }
            return sum / 2;
        }
    }

    /** The samples of one JVM by Mayfly and, if it is a rival, by async-profiler. */
    private static final class Seen implements LeafReading.Observer {
        private final SelfTime mayfly = new SelfTime();
        private final SelfTime rival = new SelfTime();
        private final SelfTime recorded = new SelfTime();
        private final Map<LeafRule, SelfTime> chosen = new EnumMap<>(LeafRule.class);
        private long optimized;
        private long certain;

        @Override
        public void sample(LeafReading reading) {
            recorded.add(reading.recorded(), 1);
            reading.chosen()
                    .forEach((rule, method) ->
                            chosen.computeIfAbsent(rule, r -> new SelfTime()).add(method, 1));
            optimized += reading.optimized() ? 1 : 0;
            certain += reading.certain() ? 1 : 0;
        }

        /** Returns the share of all samples that a rule attributes to a wrong method. */
        String error(LeafRule rule) {
            SelfTime found = chosen.get(rule);
            return found == null ? "" : percent(found.distance(recorded) * recorded.total / mayfly.total);
        }
    }

    private Leaves() {}

    /** Returns new plans each time, because the caller adds options to them. */
    static List<Stacks.Load> programs(Jdk jdk) {
        List<Stacks.Load> programs = new ArrayList<>();
        programs.add(
                new Stacks.Load("three loops, Serial", Jvm.run("Shares").on(jdk).with("-Xmx128m", "-XX:+UseSerialGC")));
        programs.addAll(Stacks.loads(jdk, false));
        programs.add(
                new Stacks.Load("H2, C1 only", Jvm.run("H2Load").on(jdk).with("-Xmx256m", "-XX:TieredStopAtLevel=1")));
        for (String mode : List.of("mix", "megamorphic", "exceptions")) {
            programs.add(new Stacks.Load(
                    mode, Jvm.run("Stress").on(jdk).with("-Xmx256m").args(mode)));
        }
        programs.add(
                new Stacks.Load("small methods", Jvm.run("SmallMethods").on(jdk).with("-Xmx256m")));
        return programs;
    }

    /** Measures one of the programs, by its index. */
    static void measure(Page page, Path folder, List<Rival> rivals, Jdk jdk, int index, Duration duration) {
        Rival rival = rivals.stream()
                .filter(AsyncProfiler.class::isInstance)
                .findFirst()
                .orElse(null);
        Seen[] seen = new Seen[3];
        for (int i = 0; i < seen.length; i++) {
            boolean flagged = i < 2;
            Stacks.Load program = programs(jdk).get(index);
            page.progress("leaf: " + jdk + ", " + program.name() + (flagged ? ", with the flag" : ", without it"));
            try (Jvm jvm = program.plan()
                    .with(DIAGNOSTIC, flagged ? FLAG : FLAG.replace('+', '-'))
                    .start()) {
                seen[i] = look(jvm, folder.resolve("leaf.mayfly"), duration);
                if (rival != null) {
                    rival.record(jvm, HZ, duration).counts().stacks().forEach(leafInto(seen[i].rival));
                }
            } catch (Refused | IOException | BadCapture | RivalFailed | AssertionError e) {
                page.note(jdk + ", " + program.name() + ": " + e);
                return;
            }
        }
        row(page, jdk, programs(jdk).get(index), seen[0], seen[1], seen[2]);
    }

    private static void row(Page page, Jdk jdk, Stacks.Load program, Seen one, Seen two, Seen without) {
        long samples = one.mayfly.total;
        page.row(
                jdk.feature(),
                program.name(),
                samples,
                percent((double) one.optimized / samples),
                percent((double) (one.recorded.total - one.optimized) / samples),
                percent(1 - (double) (one.recorded.total - one.certain) / samples),
                one.error(LeafRule.AFTER),
                one.error(LeafRule.BEFORE),
                one.error(LeafRule.COMMON),
                one.error(LeafRule.BRANCHES),
                percent(one.mayfly.distance(two.mayfly)),
                percent((without.mayfly.distance(one.mayfly) + without.mayfly.distance(two.mayfly)) / 2),
                one.rival.total == 0 ? "" : percent(one.rival.distance(two.rival)),
                one.rival.total == 0
                        ? ""
                        : percent((without.rival.distance(one.rival) + without.rival.distance(two.rival)) / 2));
    }

    private static java.util.function.BiConsumer<String, Long> leafInto(SelfTime into) {
        return (stack, samples) -> into.add(stack.substring(stack.lastIndexOf(';') + 1), samples);
    }

    private static Seen look(Jvm jvm, Path file, Duration duration) throws Refused, IOException, BadCapture {
        Windows.rest(WARM);
        Seen seen = new Seen();
        try (RecordingSession session = RecordingSession.open(
                Math.toIntExact(jvm.pid()), new RecordingOptions(HZ, duration, Collector.PER_THREAD, false), file)) {
            for (ManagedRuntime runtime : session.runtimes()) {
                if (runtime instanceof HotSpot vm) {
                    vm.observeLeaves(seen);
                }
            }
            session.run((samples, elapsed, lost) -> {});
        }
        Profile profile = CaptureReader.read(file);
        Files.delete(file);
        for (int i = 0; i < profile.sampleCount(); i++) {
            int stack = profile.stackOf(i);
            Frame leaf = stack == 0 ? null : profile.frames().get(profile.frameOf(stack));
            seen.mayfly.add(leaf == null ? "" : leaf.label(), 1);
        }
        return seen;
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f", 100 * share);
    }
}
