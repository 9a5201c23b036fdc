package mayfly.profile.capture.records;

import java.util.HashMap;
import java.util.Map;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.RecordCursor.BadRecord;

/** The words of a capture for how walks ended. */
public final class OutcomeWords {
    private final AboutRecords about;
    private final Map<String, WalkOutcome> outcomes = new HashMap<>();
    private long unknown;

    /** @param about has the strings */
    public OutcomeWords(AboutRecords about) {
        this.about = about;
        for (WalkOutcome outcome : WalkOutcome.values()) {
            outcomes.put(outcome.id(), outcome);
        }
    }

    /** Reads the outcome of a sample. */
    public WalkOutcome read(RecordCursor record) throws BadRecord {
        int word = about.wordId(record);
        if (word == 0) {
            return WalkOutcome.COMPLETE;
        }
        WalkOutcome outcome = outcomes.get(about.word(word));
        if (outcome == null) {
            unknown++;
            return WalkOutcome.BAD_METADATA;
        }
        return outcome;
    }

    /** How many samples had a word that this version does not know. */
    public long unknown() {
        return unknown;
    }
}
