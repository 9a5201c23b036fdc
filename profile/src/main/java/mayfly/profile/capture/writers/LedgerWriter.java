package mayfly.profile.capture.writers;

import java.util.List;
import java.util.Map;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Ledger;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the ledgers of the events, which end a capture. */
public final class LedgerWriter {
    private final BlockOutput out;
    private final WordWriter words;
    /** The part of each key that names the event. */
    private String prefix = "";

    public LedgerWriter(BlockOutput out, WordWriter words) {
        this.out = out;
        this.words = words;
    }

    /**
     * Writes the ledgers: their figures and their sentences.
     *
     * @param ledgers those of the events, by their ids
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void ledgers(List<Ledger> ledgers) throws CaptureWriteException {
        for (int event = 0; event < ledgers.size(); event++) {
            prefix = CaptureFormat.ledgerPrefix(event);
            ledger(ledgers.get(event));
        }
        out.begin(CaptureFormat.END).end();
    }

    private void ledger(Ledger ledger) throws CaptureWriteException {
        sentence("collector", ledger.collector());
        figure("rate", ledger.rate());
        figure("duration_nanos", ledger.durationNanos());
        for (Map.Entry<WalkOutcome, Long> entry : ledger.outcomes().entrySet()) {
            figure("outcome." + entry.getKey().id(), entry.getValue());
        }
        figure("lost", ledger.lost());
        figure("throttled", ledger.throttled());
        figure("duplicates", ledger.duplicates());
        figure("sampled_cpu_nanos", ledger.sampledCpuNanos());
        figure("proc_cpu_nanos", ledger.procCpuNanos());
        figure("superseded_frames", ledger.supersededFrames());
        figure("continued_stacks", ledger.continuedStacks());
        figure("unsaved_stacks", ledger.unsavedStacks());
        figure("inferred_leaves", ledger.inferredLeaves());
        for (String note : ledger.notes()) {
            sentence("note", note);
        }
        for (String alarm : ledger.alarms()) {
            sentence("alarm", alarm);
        }
    }

    private void figure(String key, long value) throws CaptureWriteException {
        int keyWord = words.word(prefix + key);
        RecordBuffer record = out.begin(CaptureFormat.FIGURE);
        record.number(keyWord);
        record.signed(value);
        record.end();
    }

    private void sentence(String key, String value) throws CaptureWriteException {
        int keyWord = words.word(prefix + key);
        int valueWord = words.word(value);
        RecordBuffer record = out.begin(CaptureFormat.SENTENCE);
        record.number(keyWord);
        record.number(valueWord);
        record.end();
    }
}
