package mayfly.report.speedscope;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.SampledThread;
import mayfly.report.json.Json;
import mayfly.report.tree.ConversionOptions;
import mayfly.report.tree.SafeText;
import mayfly.report.tree.ShownStacks;

/**
 * Writes all samples in the order of their time. The width of a sample is the amount that it represents. With threads,
 * each thread is a separate profile that can be selected in speedscope, the heaviest first; otherwise there is one
 * profile. If there are more samples than a viewer can handle, those with equal stacks are merged, and the name of the
 * profile contains a remark.
 */
public final class Speedscope {
    private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";
    private static final String SUMMED = ", equal stacks added up: too many samples to show in time order";

    private final Profile profile;
    private final ShownStacks stacks;
    private final boolean threads;
    private final OutputStream out;
    private final Json json = new Json();
    private final Map<Shown, Integer> frameIds = new HashMap<>();
    private final List<Shown> frames = new ArrayList<>();
    /** The index in the file plus 1 for each id of {@link #stacks}; 0 if the frame has none yet. */
    private int[] numbers = new int[1 << 10];

    /** A frame of the file; frames that differ only in hidden parts are equal. */
    private record Shown(String name, String file) {}

    private Speedscope(Profile profile, ConversionOptions options, OutputStream out) {
        this.profile = profile;
        this.out = out;
        threads = options.threads();
        stacks = new ShownStacks(
                profile,
                new ConversionOptions(
                        false, options.natives(), options.lines(), options.signatures(), options.runtime()));
    }

    /**
     * Writes the profile.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(Profile profile, ConversionOptions options, OutputStream out) throws IOException {
        Profile shown = profile.isSummed() && !options.threads() ? profile.summed(false) : profile;
        new Speedscope(shown, options, out).write();
    }

    private void write() throws IOException {
        json.beginObject().name("$schema").value(SCHEMA).name("exporter").value("mayfly");
        json.name("name")
                .value(title())
                .name("activeProfileIndex")
                .value(0)
                .name("profiles")
                .beginArray();
        int[] rows = new int[profile.sampleCount()];
        if (threads) {
            int[] begin = byThread(rows);
            for (int thread : heaviestFirst()) {
                if (begin[thread] < begin[thread + 1]) {
                    SampledThread about = profile.threads().get(thread);
                    String name = SafeText.visible(about.name()) + " (" + about.tid() + ")";
                    profile(name, rows, begin[thread], begin[thread + 1]);
                }
            }
        } else {
            profile(title(), rows, 0, shown(rows));
        }
        json.endArray().name("shared").beginObject().name("frames").beginArray();
        for (Shown frame : frames) {
            frame(frame);
        }
        json.endArray().endObject().endObject();
        json.drainTo(out);
        out.write('\n');
    }

    private String title() {
        String name = profile.recording().mainClass();
        return SafeText.visible(name.isBlank() ? "pid " + profile.recording().pid() : name);
    }

    /** Collects the shown samples in {@code rows}; returns their number. */
    private int shown(int[] rows) {
        int count = 0;
        for (int sample = 0; sample < rows.length; sample++) {
            if (stacks.shows(sample)) {
                rows[count++] = sample;
            }
        }
        return count;
    }

    /**
     * Collects the shown samples in {@code rows}, thread by thread; returns the index at which the samples of each
     * thread begin.
     */
    private int[] byThread(int[] rows) {
        int[] begin = new int[profile.threads().size() + 1];
        for (int sample = 0; sample < rows.length; sample++) {
            if (stacks.shows(sample)) {
                begin[profile.threadOf(sample)]++;
            }
        }
        for (int thread = 1; thread < begin.length; thread++) {
            begin[thread] += begin[thread - 1];
        }
        for (int sample = rows.length - 1; sample >= 0; sample--) {
            if (stacks.shows(sample)) {
                rows[--begin[profile.threadOf(sample)]] = sample;
            }
        }
        return begin;
    }

    private List<Integer> heaviestFirst() {
        long[] weights = new long[profile.threads().size()];
        var order = new ArrayList<Integer>();
        for (int sample = 0; sample < profile.sampleCount(); sample++) {
            weights[profile.threadOf(sample)] += stacks.shows(sample) ? weight(sample) : 0;
        }
        for (int thread = 0; thread < weights.length; thread++) {
            order.add(thread);
        }
        order.sort(Comparator.<Integer>comparingLong(thread -> weights[thread]).reversed());
        return order;
    }

    private void profile(String name, int[] rows, int from, int to) throws IOException {
        json.beginObject()
                .name("type")
                .value("sampled")
                .name("name")
                .value(profile.isSummed() ? name + SUMMED : name)
                .name("unit")
                .value(
                        switch (profile.event().unit()) {
                            case NANOSECONDS -> "nanoseconds";
                            case BYTES -> "bytes";
                            case COUNT -> "none";
                        });
        json.name("startValue").value(0).name("samples").beginArray();
        long end = 0;
        for (int row = from; row < to; row++) {
            end += weight(rows[row]);
            stack(rows[row]);
        }
        json.endArray().name("weights").beginArray();
        for (int row = from; row < to; row++) {
            json.value(weight(rows[row]));
            drainIfLong();
        }
        json.endArray().name("endValue").value(end).endObject();
    }

    private long weight(int sample) {
        return Math.max(0, profile.valueOf(sample));
    }

    /** Writes the stack of a sample, root first. */
    private void stack(int sample) throws IOException {
        stacks.moveTo(sample);
        json.beginArray();
        for (int i = stacks.depth() - 1; i >= 0; i--) {
            json.value(number(stacks.frame(i)));
        }
        json.endArray();
        drainIfLong();
    }

    private void drainIfLong() throws IOException {
        if (json.length() > 1 << 16) {
            json.drainTo(out);
        }
    }

    private int number(int id) {
        if (id >= numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(id + 1, numbers.length * 2));
        }
        if (numbers[id] == 0) {
            ShownStacks.Shown shown = stacks.shown(id);
            Shown frame = switch (shown.frame()) {
                case Frame.Managed _, Frame.Stub _, Frame.Kernel _, Frame.Omitted _ -> new Shown(shown.label(), "");
                case Frame.Native code -> new Shown(shown.label(), code.library());
                case null -> new Shown(shown.label(), "");
            };
            numbers[id] = 1
                    + frameIds.computeIfAbsent(frame, fresh -> {
                        frames.add(fresh);
                        return frames.size() - 1;
                    });
        }
        return numbers[id] - 1;
    }

    private void frame(Shown frame) throws IOException {
        json.beginObject().name("name").value(SafeText.visible(frame.name));
        if (!frame.file.isEmpty()) {
            json.name("file").value(SafeText.visible(frame.file));
        }
        json.endObject();
        drainIfLong();
    }
}
