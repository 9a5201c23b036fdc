package mayfly.profile.capture;

import static mayfly.profile.capture.CaptureFormat.MAX_STRING_BYTES;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Ledger;
import mayfly.profile.Recording;
import mayfly.profile.Unit;
import mayfly.profile.capture.RecordCursor.BadRecord;
import org.jspecify.annotations.Nullable;

/** The records of a capture that describe the recording, and the strings that all records refer to. */
final class AboutRecords {
    /** As many notes, runtimes and names as anybody would read. */
    static final int MAX_SENTENCES = 1000;

    private final List<String> strings = new ArrayList<>(List.of(""));
    private final Map<String, String> metadata = new HashMap<>();
    private final List<String> runtimes = new ArrayList<>();
    private final LedgerRecords ledger = new LedgerRecords();
    private final List<String> warnings = new ArrayList<>();
    private long room;
    private @Nullable Recording recording;
    private long unknownRecords;
    private boolean ended;

    /** @param mostChars of all strings together; later ones are taken as empty */
    AboutRecords(long mostChars) {
        room = mostChars;
    }

    void warn(String sentence) {
        warnings.add(sentence);
    }

    /** Takes a record of one of the kinds that belong here; counts one that is unknown. */
    void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.STRING -> string(record);
            case CaptureFormat.META -> meta(word(record), word(record));
            case CaptureFormat.FIGURE -> ledger.figure(word(record), record.signed());
            case CaptureFormat.SENTENCE -> ledger.sentence(word(record), word(record));
            case CaptureFormat.END -> ended = true;
            default -> unknownRecords++;
        }
    }

    private void string(RecordCursor record) throws BadRecord {
        if (record.remaining() > MAX_STRING_BYTES) {
            throw new BadRecord("a string of " + record.remaining() + " bytes");
        }
        String text = record.text();
        room -= text.length();
        strings.add(room < 0 ? "" : text);
    }

    /** The string that the record refers to next. */
    String word(RecordCursor record) throws BadRecord {
        return strings.get(wordId(record));
    }

    /** The id of the string that the record refers to next, 0 for the empty one. */
    int wordId(RecordCursor record) throws BadRecord {
        return record.index("string", strings.size());
    }

    String word(int id) {
        return strings.get(id);
    }

    int words() {
        return strings.size();
    }

    private void meta(String key, String value) {
        if (!key.equals("runtime")) {
            metadata.put(key, value);
        } else if (runtimes.size() < MAX_SENTENCES) {
            runtimes.add(value);
        }
    }

    /** The metadata, of which only what depends on the runtime may come after the first thread and sample. */
    Recording start() throws BadRecord {
        if (recording == null) {
            recording = metadata();
        }
        return recording;
    }

    private Recording metadata() throws BadRecord {
        return new Recording((int) number("pid"), text("command_line"), text("main_class"), text("jvm_version"),
                runtimes, text("event"), unit(), (int) number("rate"), text("collector"), text("host_kernel"),
                (int) number("cpus"), number("epoch_nanos"), number("monotonic_nanos"));
    }

    private Unit unit() throws BadRecord {
        Unit unit = Unit.of(text("unit"));
        if (unit == null) {
            throw new BadRecord("unit " + text("unit"));
        }
        return unit;
    }

    private String text(String key) {
        return metadata.getOrDefault(key, "");
    }

    private long number(String key) throws BadRecord {
        String text = metadata.getOrDefault(key, "0");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new BadRecord(key + " is no number");
        }
    }

    /** All of the metadata, once everything was read. */
    Recording recording() throws BadCapture {
        try {
            start();
            return metadata();
        } catch (BadRecord e) {
            throw new BadCapture("the capture ends before it says what it is of: " + e.getMessage());
        }
    }

    /** The ledger of the recording, null if the recording has no end. */
    @Nullable Ledger ledger() {
        return ended ? ledger.ledger() : null;
    }

    /**
     * What was wrong with the file, in sentences, once everything was read.
     *
     * @param unknownOutcomes samples that end for a reason that is not known
     */
    List<String> warnings(long unknownOutcomes) {
        if (unknownRecords > 0) {
            warn(unknownRecords + " records of an unknown kind were skipped: a later version wrote them");
        }
        if (unknownOutcomes > 0) {
            warn(unknownOutcomes + " samples end for a reason that this version does not know");
        }
        if (!ended && warnings.isEmpty()) {
            warn("the recording was cut short: it has no ledger");
        }
        return warnings;
    }
}
