package mayfly.report.facts;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.SafeText;

/** The information about a recording that a report gives in addition to its frames. */
public final class Facts {
    /** One line. */
    public record Fact(String section, String name, String value) {}

    /** Returns the title of a report: the main class, or the process id if it is unknown. */
    public static String title(Recording recording) {
        String name = recording.mainClass().isBlank() ? "pid " + recording.pid() : recording.mainClass();
        return SafeText.visible(name.length() > 200 ? name.substring(0, 200) + "…" : name);
    }

    /** Returns the event, the rate, the duration and the number of samples in one line. */
    public static String subtitle(Profile profile) {
        Recording recording = profile.recording();
        Ledger ledger = profile.ledger();
        var parts = new ArrayList<String>();
        if (!recording.mainClass().isBlank()) {
            parts.add("pid " + recording.pid());
        }
        SampledEvent event = profile.event();
        parts.add(event.name() + (event.rate() > 0 ? " at " + event.rate() + " Hz" : ""));
        parts.add(String.format(Locale.ROOT, "%.1f s", ledger.durationNanos() / 1e9));
        parts.add(String.format(Locale.ROOT, "%,d samples", ledger.samples()));
        if (ledger.samples() > 0) {
            double complete = Math.floor(ledger.complete() * 10_000.0 / ledger.samples()) / 100;
            parts.add(
                    String.format(Locale.ROOT, "%s %% complete", complete == 100 ? "100" : "%.2f".formatted(complete)));
        }
        if (ledger.cutShort()) {
            parts.add("cut short");
        }
        return SafeText.visible(String.join(" · ", parts));
    }

    /**
     * Returns a note on the certainty of leaf methods; empty if at least 90 % are certain, or if the certainty is
     * unknown.
     */
    public static String certainLeaves(Ledger ledger) {
        long samples = ledger.samples();
        if (ledger.inferredLeaves() * 10 <= samples) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "%.1f %% of the leaf methods are certain; for each of the others, a method inlined nearby may have"
                        + " run instead (docs/accuracy.md)",
                100.0 * (samples - ledger.inferredLeaves()) / samples);
    }

    /** Returns the facts about a recording, in the order of their sections. */
    public static List<Fact> of(Profile profile, CallTree tree) {
        var facts = new ArrayList<Fact>();
        Recording recording = profile.recording();
        add(facts, "Target", "process", "pid " + recording.pid());
        add(facts, "Target", "main class", recording.mainClass());
        add(facts, "Target", "command line", recording.commandLine());
        add(facts, "Target", "JVM", recording.runtimeVersion());
        recording.runtimes().forEach(runtime -> add(facts, "Target", "runtime", runtime.line()));
        add(facts, "Target", "threads seen", Integer.toString(profile.threads().size()));
        add(facts, "Host", "kernel", recording.hostKernel());
        add(facts, "Host", "CPUs", recording.cpus() > 0 ? Integer.toString(recording.cpus()) : "");
        add(facts, "Recording", "started", started(recording));
        add(facts, "Recording", "event", profile.event().name());
        add(facts, "Recording", "width means", tree.weight().label());
        if (tree.leftOut() > 0) {
            add(facts, "Recording", "left out", tree.leftOut() + " samples without a frame of the requested runtime");
        }
        profile.warnings().forEach(warning -> add(facts, "Recording", "warning", warning));
        for (Ledger.Row row : profile.ledger().rows()) {
            add(facts, "Ledger", row.name(), row.value());
        }
        return facts;
    }

    private static String started(Recording recording) {
        if (recording.epochNanos() <= 0) {
            return "";
        }
        Instant instant = Instant.ofEpochSecond(0, recording.epochNanos());
        return DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
                .format(instant.atOffset(ZoneOffset.UTC));
    }

    private static void add(List<Fact> facts, String section, String name, String value) {
        if (!value.isBlank()) {
            facts.add(new Fact(section, name, SafeText.visible(value)));
        }
    }

    private Facts() {}
}
