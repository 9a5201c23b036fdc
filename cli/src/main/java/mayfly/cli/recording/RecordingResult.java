package mayfly.cli.recording;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import mayfly.cli.file.OutputFile;
import mayfly.cli.output.OutcomeWords;
import mayfly.cli.output.Terminal;
import mayfly.cli.output.Text;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.WalkOutcome;
import mayfly.record.event.RecordingEvent;
import mayfly.report.Format;
import mayfly.report.json.Json;

/**
 * The result of a recording.
 *
 * @param file the path of the output
 * @param format the format of the output
 * @param recording the metadata in the capture
 * @param warnings defects of the capture, in sentences
 * @param ledgers the accounts of the samples of each event, in the order of the recording's events
 * @param profile the profile read back from the capture, if it was read
 */
public record RecordingResult(
        Path file,
        Format format,
        Recording recording,
        List<String> warnings,
        List<Ledger> ledgers,
        Optional<Profile> profile) {

    /** @throws IllegalArgumentException if the number of ledgers is not that of the events */
    public RecordingResult {
        warnings = List.copyOf(warnings);
        ledgers = List.copyOf(ledgers);
        if (ledgers.size() != recording.events().size()) {
            throw new IllegalArgumentException("a ledger for each event");
        }
    }

    private boolean hasSeveralEvents() {
        return ledgers.size() > 1;
    }

    /** Returns the summary for a reader, line by line. */
    public List<String> summary() {
        var lines = new ArrayList<String>();
        for (int i = 0; i < ledgers.size(); i++) {
            addSamples(lines, recording.events().get(i), ledgers.get(i));
        }
        distinct(Ledger::alarms).forEach(alarm -> lines.add("Warning: " + alarm));
        warnings.forEach(warning -> lines.add("Warning: " + warning));
        distinct(Ledger::notes).forEach(note -> lines.add("Note: " + note));
        return lines;
    }

    private void addSamples(List<String> lines, SampledEvent event, Ledger ledger) {
        String name = hasSeveralEvents() ? event.name() + ": " : "";
        long samples = ledger.samples();
        if (samples == 0) {
            boolean isCpu = event.name().equals(RecordingEvent.CPU.id());
            String cause = isCpu ? ": no CPU use of the target was observed" : "";
            lines.add((name.isEmpty() ? "No" : name + "no") + " samples in " + Text.seconds(ledger.durationNanos())
                    + cause + ".");
        } else {
            lines.add(name + Text.count(samples) + (samples == 1 ? " sample in " : " samples in ")
                    + Text.seconds(ledger.durationNanos()) + ", "
                    + Text.percent(ledger.complete(), samples) + " complete" + missing(ledger));
            ledger.outcomes().forEach((outcome, count) -> {
                if (outcome != WalkOutcome.COMPLETE && count > 0) {
                    lines.add("  " + outcome.id() + ": " + OutcomeWords.of(outcome));
                }
            });
        }
        if (ledger.lost() > 0) {
            String advice = ledger.rate() > 0 ? "; a lower rate (-F) leaves more time to read them" : "";
            lines.add("  lost by the kernel: its buffers were full" + advice);
        }
        if (ledger.procCpuNanos() >= 0) {
            lines.add("CPU time covered by the samples: " + Text.seconds(ledger.sampledCpuNanos()) + " of "
                    + Text.seconds(ledger.procCpuNanos()) + " in /proc");
        }
    }

    /** Returns the sentences of all ledgers, each once. */
    private List<String> distinct(Function<Ledger, List<String>> sentences) {
        return ledgers.stream()
                .flatMap(ledger -> sentences.apply(ledger).stream())
                .distinct()
                .toList();
    }

    private static String missing(Ledger ledger) {
        var missing = new StringBuilder();
        ledger.outcomes().forEach((outcome, count) -> {
            if (outcome != WalkOutcome.COMPLETE && count > 0) {
                missing.append(", ").append(Text.count(count)).append(' ').append(outcome.id());
            }
        });
        if (ledger.lost() > 0) {
            missing.append(", ").append(Text.count(ledger.lost())).append(" lost by the kernel");
        }
        return missing.toString();
    }

    /** Returns the result as JSON, see docs/formats/record-json.md. */
    String json() {
        var json = new Json()
                .beginObject()
                .name("schema")
                .value("mayfly-record/1")
                .name("output")
                .value(file.toString())
                .name("format")
                .value(format.id())
                .name("pid")
                .value(recording.pid())
                .name("mainClass")
                .value(recording.mainClass())
                .name("jvmVersion")
                .value(recording.runtimeVersion());
        addLedger(json, 0);
        if (hasSeveralEvents()) {
            json.name("events").beginArray();
            for (int i = 0; i < ledgers.size(); i++) {
                addLedger(json.beginObject(), i);
                json.endObject();
            }
            json.endArray();
        }
        return json.endObject().toString();
    }

    private void addLedger(Json json, int index) {
        SampledEvent event = recording.events().get(index);
        Ledger ledger = ledgers.get(index);
        json.name("event")
                .value(event.name())
                .name("unit")
                .value(event.unit().id())
                .name("collector")
                .value(ledger.collector())
                .name("rateHz")
                .value(ledger.rate())
                .name("durationNanos")
                .value(ledger.durationNanos())
                .name("samples")
                .value(ledger.samples())
                .name("complete")
                .value(ledger.complete())
                .name("truncated")
                .value(ledger.truncated())
                .name("shortened")
                .value(ledger.shortened())
                .name("unproven")
                .value(ledger.unproven())
                .name("broken")
                .beginObject();
        ledger.outcomes().forEach((outcome, count) -> {
            if (outcome.isBroken()) {
                json.name(outcome.id()).value(count);
            }
        });
        json.endObject()
                .name("lost")
                .value(ledger.lost())
                .name("throttled")
                .value(ledger.throttled())
                .name("duplicates")
                .value(ledger.duplicates())
                .name("sampledCpuNanos")
                .value(ledger.sampledCpuNanos())
                .name("procCpuNanos")
                .value(ledger.procCpuNanos())
                .name("supersededFrames")
                .value(ledger.supersededFrames())
                .name("continuedStacks")
                .value(ledger.continuedStacks())
                .name("unsavedStacks")
                .value(ledger.unsavedStacks())
                .name("inferredLeaves")
                .value(ledger.inferredLeaves());
        strings(json, "alarms", ledger.alarms());
        strings(json, "notes", ledger.notes());
    }

    private static void strings(Json json, String name, List<String> values) {
        json.name(name).beginArray();
        values.forEach(json::value);
        json.endArray();
    }

    /** Prints the summary to standard error, and the path of the file, or the result as JSON, to standard output. */
    public void print(Terminal terminal, boolean quiet, boolean asJson) {
        if (!quiet) {
            summary().forEach(line -> terminal.err().println(Text.printable(line)));
        }
        if (!OutputFile.isStandardOutput(file)) {
            terminal.out().println(asJson ? json() : Text.printable(file.toString()));
        }
    }
}
