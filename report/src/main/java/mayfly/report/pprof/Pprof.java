package mayfly.report.pprof;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import mayfly.profile.Ledger;
import mayfly.profile.LoadedProgram;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.SampledThread;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.ShownStacks;

/**
 * A profile for {@code go tool pprof} and other readers of its format. Each sample has two values, the number of
 * samples and the amount that they represent, and labels with its thread. Lines are always included; the ledger is in
 * the comments.
 */
public final class Pprof {
    // Fields of the message Profile.
    private static final int SAMPLE_TYPE = 1;
    private static final int SAMPLE = 2;
    private static final int STRING_TABLE = 6;
    private static final int TIME_NANOS = 9;
    private static final int DURATION_NANOS = 10;
    private static final int PERIOD_TYPE = 11;
    private static final int PERIOD = 12;
    private static final int COMMENT = 13;
    private static final int DEFAULT_SAMPLE_TYPE = 14;
    // Fields of Sample, Label and ValueType.
    private static final int LOCATION_ID = 1;
    private static final int VALUE = 2;
    private static final int LABEL = 3;
    private static final int LABEL_KEY = 1;
    private static final int LABEL_STR = 2;
    private static final int LABEL_NUM = 3;
    private static final int TYPE = 1;
    private static final int UNIT = 2;

    /** The number of bytes written at once. */
    private static final int CHUNK = 1 << 16;

    private final Profile profile;
    private final ShownStacks stacks;
    private final Strings strings = new Strings();
    private final Locations locations;
    private final OutputStream out;
    private final ProtoMessage fields = new ProtoMessage(2 * CHUNK);
    /** A buffer for the parts of a sample. */
    private final ProtoMessage message = new ProtoMessage(1 << 10);

    private final ProtoMessage numbers = new ProtoMessage(1 << 10);
    private final ProtoMessage label = new ProtoMessage();

    private Pprof(Profile profile, ConversionOptions options, OutputStream out) {
        this.profile = profile;
        this.out = out;
        // Lines are separate fields here, so the names do not contain them.
        stacks = new ShownStacks(
                profile,
                new ConversionOptions(
                        options.threads(), options.natives(), false, options.signatures(), options.runtime()));
        locations = new Locations(stacks, strings, program(profile.recording()));
    }

    /** Returns the file name of the program; for a process that has erased its command line, its id. */
    private static String program(Recording recording) {
        String name = LoadedProgram.name(List.of(recording.commandLine().strip().split(" +")));
        return name.isEmpty() ? "pid " + recording.pid() : name;
    }

    /**
     * Writes the profile, compressed with gzip.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(Profile profile, ConversionOptions options, OutputStream out) throws IOException {
        var zip = new FastGzip(out);
        new Pprof(profile, options, zip).write();
        zip.finish();
    }

    /**
     * Compresses with a fast level. Stacks are repetitive, so the default level takes much longer and saves only a few
     * per cent.
     */
    private static final class FastGzip extends GZIPOutputStream {
        private static final int LEVEL = 3;

        FastGzip(OutputStream out) throws IOException {
            super(out, CHUNK);
            def.setLevel(LEVEL);
        }
    }

    private void write() throws IOException {
        about();
        for (int sample = 0; sample < profile.sampleCount(); sample++) {
            if (stacks.shows(sample)) {
                sample(sample);
            }
        }
        locations.writeTo(fields, out);
        for (String text : strings.inOrder()) {
            fields.text(STRING_TABLE, text);
            drainIfLong(fields, out);
        }
        fields.drainTo(out);
    }

    static void drainIfLong(ProtoMessage fields, OutputStream out) throws IOException {
        if (fields.length() > CHUNK) {
            fields.drainTo(out);
        }
    }

    private void about() {
        Recording recording = profile.recording();
        Ledger ledger = profile.ledger();
        fields.message(SAMPLE_TYPE, type("samples", "count"));
        fields.message(SAMPLE_TYPE, weight());
        fields.number(TIME_NANOS, recording.epochNanos());
        fields.number(DURATION_NANOS, ledger.durationNanos());
        SampledEvent event = profile.event();
        if (event.rate() > 0) {
            fields.message(PERIOD_TYPE, weight());
            fields.number(PERIOD, 1_000_000_000L / event.rate());
        } else if (event.period() > 0) {
            fields.message(PERIOD_TYPE, weight());
            fields.number(PERIOD, event.period());
        }
        comment("pid " + recording.pid() + ": " + recording.commandLine());
        profile.warnings().forEach(this::comment);
        ledger.alarms().forEach(alarm -> comment("alarm: " + alarm));
        recording.runtimes().forEach(runtime -> detail(runtime.line()));
        ledger.rows().forEach(row -> detail(row.name() + ": " + row.value()));
        fields.number(DEFAULT_SAMPLE_TYPE, strings.id(event.name()));
    }

    /** Adds a comment that pprof prints above each of its reports. Used for essential information only. */
    private void comment(String text) {
        fields.number(COMMENT, strings.id(text));
    }

    /** Adds a comment that only {@code pprof -comments} prints: reports omit comments with this prefix. */
    private void detail(String text) {
        comment("# " + text);
    }

    private ProtoMessage weight() {
        return type(
                profile.event().name(),
                switch (profile.event().unit()) {
                    case NANOSECONDS -> "nanoseconds";
                    case BYTES -> "bytes";
                    case COUNT -> "count";
                });
    }

    private ProtoMessage type(String name, String unit) {
        return new ProtoMessage().number(TYPE, strings.id(name)).number(UNIT, strings.id(unit));
    }

    private void sample(int sample) throws IOException {
        stacks.moveTo(sample);
        numbers.clear();
        for (int i = 0; i < stacks.depth(); i++) {
            numbers.packed(locations.id(stacks.frame(i)));
        }
        message.clear().message(LOCATION_ID, numbers);
        message.message(VALUE, numbers.clear().packed(profile.countOf(sample)).packed(profile.valueOf(sample)));
        SampledThread thread = profile.threads().get(profile.threadOf(sample));
        message.message(
                LABEL,
                label.clear().number(LABEL_KEY, strings.id("thread")).number(LABEL_STR, strings.id(thread.name())));
        message.message(
                LABEL, label.clear().number(LABEL_KEY, strings.id("tid")).number(LABEL_NUM, thread.tid()));
        fields.message(SAMPLE, message);
        drainIfLong(fields, out);
    }
}
