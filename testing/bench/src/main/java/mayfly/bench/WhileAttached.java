package mayfly.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import mayfly.attach.channel.AttachFailed;
import mayfly.bench.Turns.By;
import mayfly.bench.Turns.Work;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * Throughput of one JVM in windows with an attached profiler, alternating with windows without a profiler. Each window
 * with it is compared with the mean of the two around it. For the noise, every second window without it is compared
 * with the mean of its two neighbours without it.
 */
final class WhileAttached {
    private static final int WINDOW_MILLIS = 250;
    private static final int WARM_UP_MILLIS = 2000;
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);

    /** The windows that alternate with those without a profiler. */
    enum With {
        NO_EVENT("none", BenchProfiler.Events.NONE),
        /** Begins at once: the JVM interprets the code of the host and the profiler, and compiles it. */
        ASYNCHRONOUS("every asynchronous event", BenchProfiler.Events.ASYNCHRONOUS),
        /** Begins when the code that the program's events need has been compiled. */
        ASYNCHRONOUS_LATER("every asynchronous event, 2 s after the attach", BenchProfiler.Events.ASYNCHRONOUS) {
            @Override
            void begin(Jvm jvm, Work work) throws AttachFailed {
                super.begin(jvm, work);
                Turns.warmUp(jvm, work, 2000);
            }
        },
        LOG("no profiler; the JVM's own log of classes and modules, to a file", BenchProfiler.Events.NONE) {
            @Override
            void begin(Jvm jvm, Work work) {
                log(jvm, "class+load=debug,class+unload=info,module=debug,class+loader+data=trace");
            }

            @Override
            void end(Jvm jvm) {
                log(jvm, "all=off");
            }
        };

        private final String title;
        private final BenchProfiler.Events events;

        With(String title, BenchProfiler.Events events) {
            this.title = title;
            this.events = events;
        }

        void begin(Jvm jvm, Work work) throws AttachFailed {
            BenchProfiler.attach(jvm, events);
        }

        void end(Jvm jvm) throws AttachFailed {
            BenchProfiler.detach(jvm);
        }

        private static void log(Jvm jvm, String what) {
            Path file = Path.of("/dev/shm/mayfly-bench-" + jvm.pid() + ".log");
            Command done = Command.run(
                    COMMAND_LIMIT,
                    Jdk.current().tool("jcmd").toString(),
                    Long.toString(jvm.pid()),
                    "VM.log",
                    "output=" + file,
                    "output_options=filecount=0",
                    "decorators=timenanos,tid",
                    "what=" + what);
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            if (done.exitCode() != 0) {
                throw new IllegalStateException(done.evidence());
            }
        }
    }

    private WhileAttached() {}

    static void measure(Page page, Jdk jdk, Work work, With with, int pairs) {
        page.progress("attached: %s, %s, %s, %d pairs".formatted(jdk, work.title(), with.title, pairs));
        try (Jvm jvm = Turns.start(jdk)) {
            Turns.warmUp(jvm, work, WARM_UP_MILLIS);
            double[][] off = new double[pairs + 1][];
            double[][] on = new double[pairs][];
            off[0] = Turns.rates(jvm, work, WINDOW_MILLIS);
            for (int i = 0; i < pairs; i++) {
                with.begin(jvm, work);
                on[i] = Turns.rates(jvm, work, WINDOW_MILLIS);
                with.end(jvm);
                off[i + 1] = Turns.rates(jvm, work, WINDOW_MILLIS);
            }
            page.row(
                    jdk.feature(),
                    work.title(),
                    with.title,
                    pairs,
                    lost(on, off, By.CLOCK),
                    noise(off, By.CLOCK),
                    lost(on, off, By.CPU_TIME),
                    noise(off, By.CPU_TIME));
        } catch (AttachFailed e) {
            page.note(jdk + ", " + work.title() + ": " + e);
        }
    }

    private static String lost(double[][] on, double[][] off, By by) {
        double[] lost = new double[on.length];
        Arrays.setAll(lost, i -> loss(on[i], off[i], off[i + 1], by));
        return Statistics.medianOf(lost).text(100);
    }

    private static String noise(double[][] off, By by) {
        double[] noise = new double[(off.length - 1) / 2];
        Arrays.setAll(noise, i -> loss(off[2 * i + 1], off[2 * i], off[2 * i + 2], by));
        return Statistics.medianOf(noise).text(100);
    }

    private static double loss(double[] own, double[] before, double[] after, By by) {
        return 1 - own[by.ordinal()] * 2 / (before[by.ordinal()] + after[by.ordinal()]);
    }
}
