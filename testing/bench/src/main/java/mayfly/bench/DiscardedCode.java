package mayfly.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/** The compiled code of a program that the JVM discards when a probe is added, and the program's speed after that. */
final class DiscardedCode {
    private static final String METHOD = "mayfly.targets.H2Load.work";
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final Duration WARM_UP = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofMillis(500);
    private static final int WINDOWS_BEFORE = 10;
    private static final int MAX_WINDOWS = 80;
    private static final double RECOVERED = 0.95;
    /** A line of Compiler.codelist: compile id, level, state (0 if in use), method. */
    private static final Pattern IN_USE = Pattern.compile("^ *\\d+ +\\d+ +0 .*");

    private DiscardedCode() {}

    static void measure(Page page, Path folder, Jdk jdk) {
        page.progress("probes-code: " + jdk);
        try (Jvm jvm = Jvm.run("H2Load").on(jdk).args("1").start()) {
            Path jar = BenchProfiler.jar(
                    folder, "mayfly.profilers.testing.ProbesProfiler", "METHOD_PROBES, STACK_SNAPSHOTS");
            Windows.rest(WARM_UP);
            row(page, jdk, jvm, jar, "first");
            row(page, jdk, jvm, jar, "second");
        } catch (AttachFailed | IOException | RuntimeException e) {
            page.note(jdk + ": " + e);
        }
    }

    private static void row(Page page, Jdk jdk, Jvm jvm, Path jar, String round) throws AttachFailed {
        int pid = Math.toIntExact(jvm.pid());
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < WINDOWS_BEFORE; i++) {
            rates.add(rate(jvm));
        }
        double usual = Statistics.median(
                rates.stream().mapToDouble(Double::doubleValue).toArray());
        ProfilerClient.attach(
                new AttachRequest(pid, jar, Optional.empty(), Optional.empty(), LIMIT, Acceptance.LASTING_COST));
        ask(pid, "mode nothing");
        int before = inUse(jvm);
        ask(pid, "add " + METHOD);
        long added = System.nanoTime();
        int after = inUse(jvm);
        double lowest = Double.MAX_VALUE;
        double recovered = Double.NaN;
        for (int i = 0; i < MAX_WINDOWS && Double.isNaN(recovered); i++) {
            double rate = rate(jvm);
            lowest = Math.min(lowest, rate);
            recovered = rate >= RECOVERED * usual ? (System.nanoTime() - added) / 1e9 : Double.NaN;
        }
        ask(pid, "remove " + METHOD);
        ProfilerClient.detach(pid, "bench", LIMIT);
        page.row(
                jdk.feature(),
                round,
                before,
                after,
                String.format(Locale.ROOT, "%.1f", 100.0 * Math.max(0, before - after) / before),
                String.format(Locale.ROOT, "%.0f", 100 * lowest / usual),
                Double.isNaN(recovered) ? "never" : String.format(Locale.ROOT, "%.1f", recovered));
    }

    /** Returns the statements for each second, in one window. */
    private static double rate(Jvm jvm) {
        long count = Long.parseLong(jvm.ask("count"));
        long since = System.nanoTime();
        Windows.rest(WINDOW);
        return (Long.parseLong(jvm.ask("count")) - count) / ((System.nanoTime() - since) / 1e9);
    }

    /** Returns the number of compiled methods that are in use, with stubs of native methods. */
    private static int inUse(Jvm jvm) {
        Command done = Command.run(
                LIMIT, Jdk.current().tool("jcmd").toString(), Long.toString(jvm.pid()), "Compiler.codelist");
        if (done.exitCode() != 0) {
            throw new IllegalStateException(done.evidence());
        }
        return (int) done.stdout()
                .lines()
                .filter(line -> IN_USE.matcher(line).matches())
                .count();
    }

    private static void ask(int pid, String command) throws AttachFailed {
        ProfilerClient.send(pid, command.getBytes(StandardCharsets.UTF_8), LIMIT);
    }
}
