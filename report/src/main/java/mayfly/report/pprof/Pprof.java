package mayfly.report.pprof;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import mayfly.profile.Ledger;
import mayfly.profile.Profile;
import mayfly.profile.Recording;
import mayfly.profile.WalkOutcome;
import mayfly.report.ConversionOptions;
import mayfly.report.tree.ShownStacks;

/**
 * A profile for {@code go tool pprof} and what reads the same. Each sample has two values, how many were taken and what
 * they stand for; and labels with its thread. Lines are always there; the ledger is in the comments.
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
    // Of Sample, Label and ValueType.
    private static final int LOCATION_ID = 1;
    private static final int VALUE = 2;
    private static final int LABEL = 3;
    private static final int LABEL_KEY = 1;
    private static final int LABEL_STR = 2;
    private static final int LABEL_NUM = 3;
    private static final int TYPE = 1;
    private static final int UNIT = 2;

    private final Profile profile;
    private final ShownStacks stacks;
    private final Strings strings = new Strings();
    private final Locations locations;
    private final OutputStream out;
    private final ProtoMessage fields = new ProtoMessage();
    private long[] ids = new long[256];

    /** Samples that differ in nothing but their time are one sample of pprof's. */
    private record Same(int stack, int thread, WalkOutcome outcome) {}

    private static final class Sum {
        private final int example;
        private long samples;
        private long value;

        Sum(int example) {
            this.example = example;
        }
    }

    private Pprof(Profile profile, ConversionOptions options, OutputStream out) {
        this.profile = profile;
        this.out = out;
        // Lines are a field of their own here, so names do without.
        stacks = new ShownStacks(profile, new ConversionOptions(options.threads(), options.natives(), false,
                options.signatures(), options.runtime()));
        locations = new Locations(stacks, strings);
    }

    public static void write(Profile profile, ConversionOptions options, OutputStream out) throws IOException {
        var zip = new GZIPOutputStream(out, 1 << 16);
        new Pprof(profile, options, zip).write();
        zip.finish();
    }

    private void write() throws IOException {
        about();
        for (Map.Entry<Same, Sum> entry : sums().entrySet()) {
            sample(entry.getKey().thread(), entry.getValue());
        }
        locations.writeTo(fields);
        for (String text : strings.inOrder()) {
            fields.text(STRING_TABLE, text);
        }
        fields.drainTo(out);
    }

    private void about() {
        Recording recording = profile.recording();
        Ledger ledger = profile.ledger();
        fields.message(SAMPLE_TYPE, type("samples", "count"));
        fields.message(SAMPLE_TYPE, weight());
        fields.number(TIME_NANOS, recording.epochNanos());
        fields.number(DURATION_NANOS, ledger.durationNanos());
        if (recording.rate() > 0) {
            fields.message(PERIOD_TYPE, weight());
            fields.number(PERIOD, 1_000_000_000L / recording.rate());
        }
        comment("pid " + recording.pid() + ": " + recording.commandLine());
        recording.runtimes().forEach(this::comment);
        profile.warnings().forEach(this::comment);
        ledger.rows().forEach(row -> comment(row.name() + ": " + row.value()));
        fields.number(DEFAULT_SAMPLE_TYPE, strings.id(recording.event()));
    }

    private void comment(String text) {
        fields.number(COMMENT, strings.id(text));
    }

    private ProtoMessage weight() {
        return type(profile.recording().event(), switch (profile.recording().unit()) {
            case NANOSECONDS -> "nanoseconds";
            case BYTES -> "bytes";
            case COUNT -> "count";
        });
    }

    private ProtoMessage type(String name, String unit) {
        return new ProtoMessage().number(TYPE, strings.id(name)).number(UNIT, strings.id(unit));
    }

    private Map<Same, Sum> sums() {
        var sums = new LinkedHashMap<Same, Sum>();
        for (int sample = 0; sample < profile.sampleCount(); sample++) {
            if (!stacks.shows(sample)) {
                continue;
            }
            var same = new Same(profile.stackOf(sample), profile.threadOf(sample), profile.outcomeOf(sample));
            int example = sample;
            Sum sum = sums.computeIfAbsent(same, key -> new Sum(example));
            sum.samples++;
            sum.value += Math.max(0, profile.valueOf(sample));
        }
        return sums;
    }

    private void sample(int thread, Sum sum) throws IOException {
        stacks.moveTo(sum.example);
        if (ids.length < stacks.depth()) {
            ids = new long[stacks.depth() * 2];
        }
        for (int i = 0; i < stacks.depth(); i++) {
            ids[i] = locations.id(stacks.frame(i));
        }
        var message = new ProtoMessage().numbers(LOCATION_ID, ids, stacks.depth())
                .numbers(VALUE, new long[] {sum.samples, sum.value}, 2)
                .message(LABEL, new ProtoMessage().number(LABEL_KEY, strings.id("thread"))
                        .number(LABEL_STR, strings.id(profile.threads().get(thread).name())))
                .message(LABEL, new ProtoMessage().number(LABEL_KEY, strings.id("tid"))
                        .number(LABEL_NUM, profile.threads().get(thread).tid()));
        fields.message(SAMPLE, message);
        fields.drainTo(out);
    }
}
