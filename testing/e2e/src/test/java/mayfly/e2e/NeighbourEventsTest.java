package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import mayfly.api.Event;
import mayfly.api.Status;
import mayfly.api.event.Delivery;
import mayfly.kit.Deadline;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.Project;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each event beside another tool in the same JVM. The table in docs/events.md is the expectation. {@link
 * ExceptionsTest} has the event that needs a profiler with which the JVM starts.
 */
class NeighbourEventsTest {
    /** The beginning of a line of the profiler for each event. */
    private static final Map<Event, String> LINES = Map.ofEntries(
            Map.entry(Event.THREADS, "thread + "),
            Map.entry(Event.VIRTUAL_THREADS, "virtual + "),
            Map.entry(Event.CLASS_LOADS, "class + "),
            Map.entry(Event.CLASS_LOAD_STARTS, "starting "),
            Map.entry(Event.GARBAGE_COLLECTIONS, "collection finished"),
            Map.entry(Event.COMPILED_METHODS, "compiled "),
            Map.entry(Event.COMPILATIONS, "code "),
            Map.entry(Event.DEOPTIMIZATIONS, "trap "),
            Map.entry(Event.MODULE_LOADS, "module + "),
            Map.entry(Event.SUSPENSIONS, "suspended "),
            Map.entry(Event.ALLOCATIONS, "allocation "),
            Map.entry(Event.MONITORS, "monitor "),
            Map.entry(Event.METHOD_PROBES, "entered "));

    /** The columns of the table. */
    private enum Neighbour {
        WALL,
        ALLOC,
        JFR,
        DEBUGGER
    }

    /** A row of the table: for each neighbour, true if the event is delivered and false if it is refused. */
    record Row(Event event, Delivery delivery, Map<Neighbour, Boolean> delivered) {}

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return AttachTest.jdks(test);
    }

    static List<Row> rows() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Project.root().resolve("docs/events.md"))) {
            String[] cells = line.split(" *\\| *");
            boolean isEvent = cells.length == 7 && cells[1].startsWith("`");
            if (isEvent && (cells[2].equals("synchronous") || cells[2].equals("asynchronous"))) {
                rows.add(new Row(
                        Event.valueOf(cells[1].replace("`", "")),
                        Delivery.valueOf(cells[2].toUpperCase(Locale.ROOT)),
                        Map.of(
                                Neighbour.WALL, cells[3].equals("yes"),
                                Neighbour.ALLOC, cells[4].equals("yes"),
                                Neighbour.JFR, cells[5].equals("yes"),
                                Neighbour.DEBUGGER, cells[6].equals("yes"))));
            }
        }
        return rows;
    }

    @Test
    void tableHasEachWayInWhichAnEventIsDelivered() throws Exception {
        List<String> expected = new ArrayList<>();
        for (Event event : Event.values()) {
            for (Delivery delivery : Delivery.values()) {
                if (event.canBe(delivery)) {
                    expected.add(event + " " + delivery);
                }
            }
        }
        assertThat(rows())
                .extracting(row -> row.event + " " + row.delivery)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eventsAreDeliveredBesideAsyncProfiler(Jdk jdk) throws Exception {
        for (Neighbour mode : List.of(Neighbour.WALL, Neighbour.ALLOC)) {
            try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
                Path library = Neighbours.asyncProfiler(folder);
                String event = mode.name().toLowerCase(Locale.ROOT);
                Neighbours.load(jvm, library, "start,event=" + event + ",quiet");
                assertDeliveries(jvm, jdk, mode);
                Path stacks = folder.resolve(event + ".collapsed");
                Neighbours.load(jvm, library, "stop,quiet,collapsed,file=" + stacks);
                assertThat(stacks).content().contains("mayfly/targets/ThreadAndClassChurn");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eventsAreDeliveredBesideJfr(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn").on(jdk).start()) {
            Neighbours.jcmd(jvm, "JFR.start", "name=neighbour", "settings=profile");
            assertDeliveries(jvm, jdk, Neighbour.JFR);
            Path recording = folder.resolve("neighbour.jfr");
            Neighbours.jcmd(jvm, "JFR.dump", "name=neighbour", "filename=" + recording);
            assertThat(Neighbours.summary(recording)).containsPattern("jdk\\.ThreadStart +[1-9]");
        }
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void eventsAreDeliveredBesideADebugger(Jdk jdk) throws Exception {
        int port = Debugger.freePort();
        try (Jvm jvm = Jvm.run("ThreadAndClassChurn")
                        .on(jdk)
                        .with(Debugger.option(port))
                        .start();
                Debugger debugger = Debugger.attach(port)) {
            assertDeliveries(jvm, jdk, Neighbour.DEBUGGER);
            debugger.suspend();
            debugger.resume();
            assertThat(jvm.ask("load")).isEqualTo("a guest");
            debugger.quit();
        }
    }

    /** Subscribes to one event after the other, and waits until it is delivered. */
    private void assertDeliveries(Jvm jvm, Jdk jdk, Neighbour neighbour) throws Exception {
        Attached profiler = EventLog.attachSynchronous(jvm, folder, "");
        jvm.ask("churn");
        assertThat(jvm.ask("contend")).isEqualTo("started");
        for (Row row : Scale.half(rows(), neighbour.ordinal())) {
            if (!row.event.isAllowedAfterAttach()) {
                continue;
            }
            boolean possible = row.event.since() <= jdk.feature() && row.delivered.get(neighbour);
            String how = row.delivery == Delivery.SYNCHRONOUS ? "synchronous " : "";
            assertThat(profiler.ask("mask " + how + row.event))
                    .as("%s", row)
                    .isEqualTo((possible ? Status.OK : Status.UNSUPPORTED_FOR_ATTACHING_PROFILER).name());
            if (possible && row.event == Event.METHOD_PROBES) {
                assertThat(profiler.ask("probe mayfly.targets.ThreadAndClassChurn.*"))
                        .isNotEqualTo("0");
            }
            if (possible) {
                awaitLine(profiler, jvm, row);
            }
        }
        jvm.ask("rest");
        profiler.detach();
        assertThat(HostTrace.of(jvm)).isEmpty();
    }

    private static void awaitLine(Attached profiler, Jvm jvm, Row row) throws Exception {
        String begin = LINES.get(row.event);
        long before = profiler.count(begin);
        Deadline deadline = Deadline.in(EventLog.PATIENCE);
        while (profiler.count(begin) == before) {
            deadline.check("%s", row);
            jvm.ask("stay another");
            jvm.ask("virtual");
            jvm.ask("module another");
            jvm.ask("unload");
        }
    }
}
