package mayfly.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import mayfly.attach.channel.AttachFailed;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;

/**
 * The growth of a target's memory from cycle to cycle of attach and detach, after the first 200, by part; and the
 * growth of another target that is treated the same way, without the attaches.
 */
final class Cycles {
    private static final int FIRST = 200;
    /** Lower bound on a part that is shown, in bytes per cycle; smaller parts are omitted or combined. */
    private static final double LEAST = 10;

    private static final int MAX_NAMED = 4;
    /**
     * Parts whose size depends on the moment: the JVM's compiler needs them during the look, or the JVM frees them
     * later.
     */
    private static final Set<String> OF_THE_MOMENT =
            Set.of("malloc, Arena Chunk", "malloc, Compiler", "malloc, Object Monitors");

    /** A target at three times: after the first cycles, halfway, and at the end. */
    private record Looks(Footprint early, Footprint halfway, Footprint late) {}

    private Cycles() {}

    /** The rows of one JDK; one thread adds them to the page. */
    record Rows(List<Object[]> rows, List<String> notes) {}

    static Rows measure(Path folder, Jdk jdk, boolean load, int cycles) {
        String program = load ? "a thread and a class each millisecond" : "idle";
        Rows rows = new Rows(new ArrayList<>(), new ArrayList<>());
        int halfway = (cycles - FIRST) / 2;
        try (Jvm jvm = start(jdk);
                Jvm control = start(jdk)) {
            // Data that the first look creates remains: the names of the JVM's own functions, and classes of the JDK.
            look(folder, jvm, control);
            cycle(jvm, control, load, FIRST);
            List<Footprint> early = look(folder, jvm, control);
            cycle(jvm, control, load, halfway);
            List<Footprint> middle = look(folder, jvm, control);
            cycle(jvm, control, load, halfway);
            List<Footprint> late = look(folder, jvm, control);
            report(
                    rows,
                    jdk,
                    program,
                    new Looks(early.get(0), middle.get(0), late.get(0)),
                    new Looks(early.get(1), middle.get(1), late.get(1)),
                    halfway);
        } catch (AttachFailed | IOException e) {
            rows.notes.add(jdk + ", " + program + ": " + e);
        }
        return rows;
    }

    private static List<Footprint> look(Path folder, Jvm jvm, Jvm control) throws IOException {
        return List.of(Footprint.of(jvm, folder), Footprint.of(control, folder));
    }

    private static Jvm start(Jdk jdk) {
        return Jvm.run("ThreadAndClassChurn")
                .on(jdk)
                .with("-XX:NativeMemoryTracking=detail", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")
                .start();
    }

    private static void cycle(Jvm jvm, Jvm control, boolean load, int cycles) throws AttachFailed {
        if (load) {
            jvm.ask("trickle");
            control.ask("trickle");
        }
        for (int i = 0; i < cycles; i++) {
            BenchProfiler.attach(jvm, BenchProfiler.Events.ALL);
            if (load) {
                BenchProfiler.firstEvent(jvm);
            }
            BenchProfiler.detach(jvm);
        }
        if (load) {
            jvm.ask("rest");
            control.ask("rest");
        }
    }

    private static void report(Rows rows, Jdk jdk, String program, Looks looks, Looks control, int halfway) {
        Row sum = new Row();
        Row small = new Row();
        Row moment = new Row();
        TreeSet<String> names = new TreeSet<>(looks.early.parts().keySet());
        names.addAll(looks.late.parts().keySet());
        for (String name : names) {
            Row row = new Row();
            row.add(looks, control, name, halfway);
            (OF_THE_MOMENT.contains(name) ? moment : sum).add(row);
            if (!OF_THE_MOMENT.contains(name) && Math.abs(row.whole) < LEAST) {
                small.add(row);
            } else if (!OF_THE_MOMENT.contains(name)) {
                rows.rows.add(row.cells(jdk, program, name, named(name, looks.early, looks.late, 2 * halfway)));
            }
        }
        rows.rows.add(small.cells(jdk, program, "the rest", ""));
        rows.rows.add(sum.cells(
                jdk,
                program,
                "**sum**",
                "%d cycles after the first %d; classes loaded %d, then %d"
                        .formatted(2 * halfway, FIRST, looks.early.classes(), looks.late.classes())));
        rows.rows.add(moment.cells(
                jdk,
                program,
                "transient",
                "the compiler's arenas and inflated monitors, which" + " the JVM frees later; not in the sum"));
        Row resident = new Row();
        resident.whole = (looks.late.resident() - looks.early.resident()) / (2.0 * halfway);
        resident.late = (looks.late.resident() - looks.halfway.resident()) / (double) halfway;
        resident.control = (control.late.resident() - control.early.resident()) / (2.0 * halfway);
        rows.rows.add(resident.cells(
                jdk,
                program,
                "resident, by the kernel's account",
                "%.1f MB, then %.1f MB, then %.1f MB"
                        .formatted(
                                looks.early.resident() / 1e6,
                                looks.halfway.resident() / 1e6,
                                looks.late.resident() / 1e6)));
    }

    /** In bytes per cycle. */
    private static final class Row {
        private double whole;
        private double late;
        private double control;

        void add(Looks looks, Looks others, String part, int halfway) {
            whole += growth(looks.early.parts(), looks.late.parts(), part, 2 * halfway);
            late += growth(looks.halfway.parts(), looks.late.parts(), part, halfway);
            control += growth(others.early.parts(), others.late.parts(), part, 2 * halfway);
        }

        void add(Row other) {
            whole += other.whole;
            late += other.late;
            control += other.control;
        }

        Object[] cells(Jdk jdk, String program, String part, String named) {
            return new Object[] {jdk.feature(), program, part, bytes(whole), bytes(late), bytes(control), named};
        }
    }

    private static double growth(Map<String, Long> early, Map<String, Long> late, String name, int cycles) {
        return (late.getOrDefault(name, 0L) - early.getOrDefault(name, 0L)) / (double) cycles;
    }

    /** Returns the composition of a part. */
    private static String named(String part, Footprint early, Footprint late, int cycles) {
        boolean objects = part.equals(Footprint.OBJECTS);
        Map<String, Long> before = objects ? early.objects() : early.sites();
        Map<String, Long> after = objects ? late.objects() : late.sites();
        TreeSet<String> names = new TreeSet<>(before.keySet());
        names.addAll(after.keySet());
        return names.stream()
                .filter(name -> objects || name.startsWith(part + ": "))
                .map(name -> Map.entry(
                        objects ? name : name.substring(part.length() + 2), growth(before, after, name, cycles)))
                .filter(entry -> Math.abs(entry.getValue()) >= LEAST)
                .sorted((a, b) -> Double.compare(Math.abs(b.getValue()), Math.abs(a.getValue())))
                .limit(MAX_NAMED)
                .map(entry -> "`" + entry.getKey() + "` " + bytes(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String bytes(double growth) {
        return String.format(Locale.ROOT, "%.0f", growth);
    }
}
