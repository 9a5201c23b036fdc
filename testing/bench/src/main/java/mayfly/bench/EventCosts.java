package mayfly.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import mayfly.api.Event;
import mayfly.api.event.Delivery;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.client.Acceptance;
import mayfly.attach.client.AttachRequest;
import mayfly.attach.client.ProfilerClient;
import mayfly.attach.client.ProfilerJar.ApiPolicy;
import mayfly.attach.launch.LaunchFiles;
import mayfly.attach.launch.LaunchRequest;
import mayfly.bench.Statistics.Interval;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * The time of what causes an event: before an attach, with a subscription and without one in turn, and after the
 * detach, in one JVM.
 */
final class EventCosts {
    private static final int WINDOW_MILLIS = 200;
    private static final int WARM_UP_MILLIS = 3000;
    /** The windows before the attach, and those after the detach. */
    private static final int WINDOWS = 8;

    private static final String PROFILER = "mayfly.profilers.testing.EachCallbackProfiler";
    private static final String EXCEPTIONS_PROFILER = "mayfly.profilers.testing.ExceptionsProfiler";
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** An action of a program that causes an event each time. */
    private enum Cause {
        THREADS("starts a platform thread and waits for its end", Event.THREADS),
        VIRTUAL_THREADS("starts a virtual thread and waits for its end", Event.VIRTUAL_THREADS),
        CLASSES("loads a class in a new loader", Event.CLASS_LOADS, Event.CLASS_LOAD_STARTS),
        /** JVMTI reports a module with its first class. */
        UNNAMED_MODULES("loads a class, and with it the unnamed module of a new loader", Event.MODULE_LOADS) {
            @Override
            boolean causes(Delivery delivery) {
                return delivery == Delivery.SYNCHRONOUS;
            }

            @Override
            String word() {
                return CLASSES.word();
            }
        },
        /** The log has a module when it is defined, and no unnamed one. */
        MODULES("defines a module in a new layer", Event.MODULE_LOADS) {
            @Override
            boolean causes(Delivery delivery) {
                return delivery == Delivery.ASYNCHRONOUS;
            }
        },
        COLLECTIONS("collects", Event.GARBAGE_COLLECTIONS, Event.SUSPENSIONS),
        COMPILATIONS("loads a class, whose method is compiled", Event.COMPILED_METHODS, Event.COMPILATIONS) {
            @Override
            List<String> options() {
                return List.of("-Xbatch", "-XX:TieredStopAtLevel=1");
            }
        },
        TRAPS("loads a class, whose compiled method is left by a trap", Event.DEOPTIMIZATIONS) {
            @Override
            List<String> options() {
                return List.of("-Xbatch", "-XX:-TieredCompilation");
            }
        },
        ALLOCATIONS("allocates 1,000 arrays of 80 bytes", Event.ALLOCATIONS),
        CONTENTION("lets another thread wait for a monitor", Event.MONITORS),
        EXCEPTIONS("throws an exception and catches it");

        private final String title;
        private final List<Event> events;

        Cause(String title, Event... events) {
            this.title = title;
            this.events = List.of(events);
        }

        List<String> options() {
            return List.of();
        }

        /** Returns true if the event then occurs, with this delivery. */
        boolean causes(Delivery delivery) {
            return true;
        }

        /** Returns the word of the target for it. */
        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private EventCosts() {}

    static void measure(Page page, Path folder, Jdk jdk, int pairs) {
        for (Cause cause : Cause.values()) {
            for (Event event : cause.events) {
                for (Delivery delivery : Delivery.values()) {
                    if (event.canBe(delivery) && cause.causes(delivery) && event.since() <= jdk.feature()) {
                        measure(page, folder, jdk, cause, event, delivery, pairs);
                    }
                }
            }
        }
        measureExceptions(page, folder, jdk, pairs);
    }

    private static void measure(
            Page page, Path folder, Jdk jdk, Cause cause, Event event, Delivery delivery, int pairs) {
        String subscription = event + " " + delivery;
        page.progress("events: %s, %s".formatted(jdk, subscription));
        try (Jvm jvm = start(jdk, cause).start()) {
            int pid = Math.toIntExact(jvm.pid());
            micros(jvm, cause, WARM_UP_MILLIS);
            double[] before = windows(jvm, cause);
            ProfilerClient.attach(new AttachRequest(
                    pid,
                    BenchProfiler.jar(folder, PROFILER, event.name()),
                    Optional.empty(),
                    Optional.of(new byte[0]),
                    LIMIT,
                    Stream.of(Acceptance.LASTING_COST)
                            .filter(accepted -> delivery == Delivery.SYNCHRONOUS)
                            .toArray(Acceptance[]::new)));
            double[] more = more(jvm, cause, pairs, on -> ask(pid, on ? "mask " + subscription : "mask"));
            requireDelivered(pid);
            ProfilerClient.detach(pid, "bench", LIMIT);
            boolean isPolled = event.isPolled() && delivery == Delivery.ASYNCHRONOUS;
            String way = isPolled ? "polled" : delivery.name().toLowerCase(Locale.ROOT);
            row(page, jdk, event, way, cause, before, more, windows(jvm, cause));
        } catch (AttachFailed | IOException | RuntimeException e) {
            page.note(jdk + ", " + subscription + ": " + e);
        }
    }

    /** The JVM offers this event only at its start, so that the windows without a profiler are of another JVM. */
    private static void measureExceptions(Page page, Path folder, Jdk jdk, int pairs) {
        page.progress("events: %s, EXCEPTIONS".formatted(jdk));
        Cause cause = Cause.EXCEPTIONS;
        try {
            LaunchFiles files = LaunchFiles.temporary(new LaunchRequest(
                    BenchProfiler.jar(folder, EXCEPTIONS_PROFILER, "EXCEPTIONS"),
                    Optional.empty(),
                    LIMIT,
                    Set.of(Acceptance.LASTING_COST),
                    ApiPolicy.OLDER,
                    Set.of()));
            try (Jvm without = start(jdk, cause).start();
                    Jvm jvm = start(jdk, cause)
                            .environment("JAVA_TOOL_OPTIONS", files.option())
                            .start()) {
                int pid = Math.toIntExact(jvm.pid());
                micros(without, cause, WARM_UP_MILLIS);
                micros(jvm, cause, WARM_UP_MILLIS);
                double[] before = windows(without, cause);
                double[] more = more(jvm, cause, pairs, on -> ask(pid, "report " + on));
                if (ask(pid, "count java.lang.IllegalStateException").startsWith("0 ")) {
                    throw new IllegalStateException("the event was not delivered");
                }
                double[] stopped = windows(jvm, cause);
                row(
                        page,
                        jdk,
                        Event.EXCEPTIONS,
                        "synchronous, reports stopped in the last column",
                        cause,
                        before,
                        more,
                        stopped);
            } finally {
                files.remove();
            }
        } catch (AttachFailed | IOException | RuntimeException e) {
            page.note(jdk + ", EXCEPTIONS: " + e);
        }
    }

    private static Jvm.Plan start(Jdk jdk, Cause cause) {
        List<String> options = new ArrayList<>(List.of("-Xmx64m", "-XX:+UseSerialGC"));
        options.addAll(cause.options());
        return Jvm.run("EventCauses").on(jdk).with(options.toArray(String[]::new));
    }

    /** Switches the reports of an event. */
    private interface Switch {
        void to(boolean on) throws AttachFailed;
    }

    /** Returns the time by which one cause takes longer with the reports, µs; they are off afterwards. */
    private static double[] more(Jvm jvm, Cause cause, int pairs, Switch reports) throws AttachFailed {
        double[] more = new double[pairs];
        reports.to(true);
        micros(jvm, cause, WARM_UP_MILLIS); // the code of the host is compiled
        reports.to(false);
        double off = micros(jvm, cause, WINDOW_MILLIS);
        for (int i = 0; i < pairs; i++) {
            reports.to(true);
            double on = micros(jvm, cause, WINDOW_MILLIS);
            reports.to(false);
            double next = micros(jvm, cause, WINDOW_MILLIS);
            more[i] = on - (off + next) / 2;
            off = next;
        }
        return more;
    }

    private static void row(
            Page page,
            Jdk jdk,
            Event event,
            String delivery,
            Cause cause,
            double[] before,
            double[] more,
            double[] after) {
        Interval change = Statistics.ratioOfMedians(after, before);
        page.row(
                jdk.feature(),
                "`" + event + "`",
                delivery,
                cause.title,
                "%.2f".formatted(Statistics.median(before)),
                Statistics.medianOf(more).text(1),
                new Interval(change.value() - 1, change.low() - 1, change.high() - 1).text(100));
    }

    private static double[] windows(Jvm jvm, Cause cause) {
        double[] times = new double[WINDOWS];
        Arrays.setAll(times, i -> micros(jvm, cause, WINDOW_MILLIS));
        return times;
    }

    /** Returns the time of one cause, µs. */
    private static double micros(Jvm jvm, Cause cause, int millis) {
        String[] words = jvm.ask(cause.word() + " " + millis).split(" ");
        return Double.parseDouble(words[1]) / Double.parseDouble(words[0]) / 1000;
    }

    private static void requireDelivered(int pid) throws AttachFailed {
        if (ask(pid, "counts").isBlank()) {
            throw new IllegalStateException("the event was not delivered");
        }
    }

    private static String ask(int pid, String command) throws AttachFailed {
        return new String(
                ProfilerClient.send(pid, command.getBytes(StandardCharsets.UTF_8), LIMIT), StandardCharsets.UTF_8);
    }
}
