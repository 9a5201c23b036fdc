package mayfly.report.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import mayfly.profile.SampledEvent;
import mayfly.profile.SampledThread;
import mayfly.profile.Unit;
import mayfly.profile.capture.ThreadTotals;

/** The threads of a recording as a table: the total of each event, and its parts by state. */
public final class ThreadTable {
    private static final int SHOWN = 100;
    private static final int MAX_NAME = 60;
    private static final int MAX_STATE = 30;
    private static final int MAX_STATES = 15;
    private static final int MAX_EVENTS = 8;
    private static final int WIDTH = 12;

    private final ThreadTotals totals;
    private final List<SampledEvent> events;

    /** The sums of one thread, or of several. */
    private static final class Row {
        private final String name;
        /** The sums by event. */
        private final long[] values;
        /** The sums by state, of the events that have states. */
        private final Map<Integer, Map<String, Long>> states = new TreeMap<>();

        Row(String name, int events) {
            this.name = name;
            values = new long[events];
        }

        void add(int event, String state, long sum) {
            values[event] += sum;
            if (!state.isEmpty()) {
                states.computeIfAbsent(event, none -> new TreeMap<>()).merge(state, sum, Long::sum);
            }
        }

        void add(Row other) {
            for (int event = 0; event < values.length; event++) {
                values[event] += other.values[event];
            }
            other.states.forEach((event, sums) -> {
                Map<String, Long> own = states.computeIfAbsent(event, none -> new TreeMap<>());
                sums.forEach((state, sum) -> own.merge(state, sum, Long::sum));
            });
        }
    }

    private ThreadTable(ThreadTotals totals) {
        this.totals = totals;
        this.events = totals.recording().events().stream().limit(MAX_EVENTS).toList();
    }

    /**
     * Returns the lines of the table: a heading, the threads with the largest totals first, ordered by the first event,
     * and one line for all other threads. A capture with very many events shows the first eight.
     */
    public static List<String> lines(ThreadTotals totals) {
        return new ThreadTable(totals).lines();
    }

    private List<String> lines() {
        List<Row> rows = rows();
        var lines = new ArrayList<String>();
        lines.add(events.stream()
                        .map(event -> column(Columns.fit(event.name(), WIDTH - 1)))
                        .collect(Collectors.joining())
                + "  thread: states");
        rows.stream().limit(SHOWN).forEach(row -> lines.add(line(row)));
        if (rows.size() > SHOWN) {
            Row rest = new Row(rows.size() - SHOWN + " other threads", events.size());
            rows.subList(SHOWN, rows.size()).forEach(rest::add);
            lines.add(line(rest));
        }
        return lines;
    }

    private List<Row> rows() {
        var byThread = new TreeMap<Integer, Row>();
        for (ThreadTotals.Total total : totals.totals()) {
            if (total.event() >= events.size()) {
                continue;
            }
            byThread.computeIfAbsent(total.thread(), thread -> new Row(name(thread), events.size()))
                    .add(total.event(), total.state(), total.sum());
        }
        Comparator<Row> order = Comparator.comparingInt(row -> 0);
        for (int event = 0; event < events.size(); event++) {
            int at = event;
            order = order.thenComparing(
                    Comparator.comparingLong((Row row) -> row.values[at]).reversed());
        }
        return byThread.values().stream().sorted(order).toList();
    }

    private String name(int index) {
        if (index == ThreadTotals.FURTHER) {
            return "further threads";
        }
        SampledThread thread = totals.threads().get(index);
        return Columns.fit(thread.name(), MAX_NAME) + " [" + thread.tid() + "]";
    }

    private String line(Row row) {
        var line = new StringBuilder();
        for (int event = 0; event < events.size(); event++) {
            long value = row.values[event];
            line.append(
                    column(value == 0 ? "-" : amount(value, events.get(event).unit())));
        }
        line.append("  ").append(row.name);
        var states = new ArrayList<String>();
        row.states.forEach(
                (event, sums) -> addStates(states, sums, events.get(event).unit()));
        return states.isEmpty() ? line.toString() : line + ": " + String.join(", ", states);
    }

    private static void addStates(List<String> words, Map<String, Long> sums, Unit unit) {
        List<Map.Entry<String, Long>> largest = sums.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .toList();
        largest.stream()
                .limit(MAX_STATES)
                .forEach(sum -> words.add(Columns.fit(sum.getKey(), MAX_STATE) + " " + amount(sum.getValue(), unit)));
        if (largest.size() > MAX_STATES) {
            long rest = largest.stream()
                    .skip(MAX_STATES)
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            words.add("in " + (largest.size() - MAX_STATES) + " other states " + amount(rest, unit));
        }
    }

    private static String column(String text) {
        return String.format(Locale.ROOT, "%" + WIDTH + "s", text);
    }

    private static String amount(long value, Unit unit) {
        return unit == Unit.NANOSECONDS
                ? String.format(Locale.ROOT, "%.2f s", value / 1e9)
                : String.format(Locale.ROOT, "%,d", value);
    }
}
