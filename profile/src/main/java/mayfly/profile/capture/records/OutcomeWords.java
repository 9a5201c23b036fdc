package mayfly.profile.capture.records;

import java.util.HashMap;
import java.util.Map;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.RecordCursor.BadRecord;

/** Reads the outcomes of walks, which a capture contains as words. */
public final class OutcomeWords {
    private final AboutRecords about;
    private final Map<String, WalkOutcome> outcomes = new HashMap<>();
    private long unknown;

    /** @param about the source of the strings */
    public OutcomeWords(AboutRecords about) {
        this.about = about;
        for (WalkOutcome outcome : WalkOutcome.values()) {
            outcomes.put(outcome.id(), outcome);
        }
    }

    /**
     * Reads the outcome of a sample. An unknown word is read as {@link WalkOutcome#BAD_METADATA}.
     *
     * @throws BadRecord if the record is malformed or refers to no such string
     */
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

    /** Returns the number of samples with a word that this version does not know. */
    public long unknown() {
        return unknown;
    }
}
