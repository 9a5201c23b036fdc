package mayfly.profile.capture.records;

import static mayfly.profile.capture.records.CaptureFormat.MAX_STRING_BYTES;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.BadCapture;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.capture.records.RecordCursor.BadRecord;
import org.jspecify.annotations.Nullable;

/** The records of a capture that describe the recording and its events, and the strings that all records refer to. */
public final class AboutRecords {
    /**
     * Upper bound on the runtimes, the notes and the alarms of a recording, and on the names of a thread; further ones
     * are ignored.
     */
    static final int MAX_SENTENCES = 1000;

    private final List<String> strings = new ArrayList<>(List.of(""));
    private final Map<String, String> metadata = new HashMap<>();
    private final List<RecordedRuntime> runtimes = new ArrayList<>();
    private final EventRecords events = new EventRecords();
    private final LedgerRecords ledgers = new LedgerRecords();
    private final List<String> warnings = new ArrayList<>();
    private long room;
    private @Nullable Recording recording;
    private long unknownRecords;
    private boolean ended;

    /** @param maxChars the upper bound on the total length of all strings; later strings are read as empty */
    public AboutRecords(long maxChars) {
        room = maxChars;
    }

    public void warn(String sentence) {
        warnings.add(sentence);
    }

    /**
     * Processes a record of any type that this class reads. Counts all other records as unknown.
     *
     * @throws BadRecord if the record is malformed
     */
    public void accept(int type, RecordCursor record) throws BadRecord {
        switch (type) {
            case CaptureFormat.STRING -> string(record);
            case CaptureFormat.META -> meta(record);
            case CaptureFormat.EVENT -> events.read(record, this);
            case CaptureFormat.RUNTIME -> runtime(record);
            case CaptureFormat.FIGURE -> ledgers.figure(word(record), record.signed());
            case CaptureFormat.SENTENCE -> ledgers.sentence(word(record), word(record));
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

    /**
     * Reads a reference to a string. Returns the string.
     *
     * @throws BadRecord if the record is malformed or refers to no such string
     */
    public String word(RecordCursor record) throws BadRecord {
        return strings.get(wordId(record));
    }

    /**
     * Reads a reference to a string. Returns its id, 0 for the empty string.
     *
     * @throws BadRecord if the record is malformed or refers to no such string
     */
    public int wordId(RecordCursor record) throws BadRecord {
        return record.index("string", strings.size());
    }

    String word(int id) {
        return strings.get(id);
    }

    public int words() {
        return strings.size();
    }

    /**
     * Reads a value of the metadata. Returns its key.
     *
     * @throws BadRecord if the record is malformed or refers to no such string
     */
    public String meta(RecordCursor record) throws BadRecord {
        String key = word(record);
        metadata.put(key, word(record));
        return key;
    }

    /**
     * Reads the next runtime. If there are too many, only the first ones become part of the recording.
     *
     * @throws BadRecord if the record is malformed, or its number is not that of a runtime
     */
    public RecordedRuntime runtime(RecordCursor record) throws BadRecord {
        var runtime =
                new RecordedRuntime(new RuntimeId(runtimeNumber(record)), word(record), word(record), word(record));
        if (runtimes.size() < MAX_SENTENCES) {
            runtimes.add(runtime);
        }
        return runtime;
    }

    static int runtimeNumber(RecordCursor record) throws BadRecord {
        int number = record.index("runtime", Integer.MAX_VALUE);
        if (number == 0) {
            throw new BadRecord("runtime 0: the numbers start at 1");
        }
        return number;
    }

    public EventRecords events() {
        return events;
    }

    /**
     * Returns the recording as described by the metadata before the first thread or sample. Values that may change
     * later, such as the runtimes, are complete in {@link #recording()} only.
     *
     * @throws BadRecord if no event was read, or a number in the metadata is malformed
     */
    public Recording start() throws BadRecord {
        if (recording == null) {
            recording = metadata();
        }
        return recording;
    }

    private Recording metadata() throws BadRecord {
        if (events.count() == 0) {
            throw new BadRecord("no event");
        }
        return new Recording(
                (int) number("pid"),
                text("command_line"),
                text("main_class"),
                runtimes,
                events.all(),
                text("collector"),
                text("host_kernel"),
                (int) number("cpus"),
                number("epoch_nanos"),
                number("monotonic_nanos"));
    }

    /** Returns the value of a key of the metadata, or an empty string if it has none. */
    public String text(String key) {
        return metadata.getOrDefault(key, "");
    }

    private long number(String key) throws BadRecord {
        String text = metadata.getOrDefault(key, "0");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new BadRecord(key + " is not a number");
        }
    }

    /**
     * Returns the recording as described by all metadata. Called at the end of the capture.
     *
     * @throws BadCapture if the capture has no event, or a number in its metadata is malformed
     */
    public Recording recording() throws BadCapture {
        try {
            start();
            return metadata();
        } catch (BadRecord e) {
            throw new BadCapture("the capture has no complete metadata: " + e.getMessage());
        }
    }

    /** Returns true if the recording ended regularly. */
    public boolean isEnded() {
        return ended;
    }

    /** Returns the ledger of an event, or null if it has none, or if the recording has no end. */
    @Nullable
    public Ledger ledger(int event) {
        return ended ? ledgers.ledger(event) : null;
    }

    /** Returns the ledgers of the first events, up to the first event that has none. */
    public List<Ledger> ledgers() {
        var found = new ArrayList<Ledger>();
        for (int event = 0; event < events.count(); event++) {
            Ledger ledger = ledger(event);
            if (ledger == null) {
                break;
            }
            found.add(ledger);
        }
        return found;
    }

    /**
     * Returns the problems of the file, in sentences. Called at the end of the capture.
     *
     * @param unknownOutcomes the number of samples with an unknown outcome
     */
    public List<String> warnings(long unknownOutcomes) {
        if (unknownRecords > 0) {
            warn("skipped records of an unknown type, which a later version wrote: " + unknownRecords);
        }
        if (unknownOutcomes > 0) {
            warn("samples with a walk outcome that this version does not know: " + unknownOutcomes);
        }
        if (!ended && warnings.isEmpty()) {
            warn("the recording was cut short: it has no ledger");
        }
        return warnings;
    }
}
