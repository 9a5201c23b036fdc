package mayfly.report.speedscope;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import mayfly.profile.Frame;
import mayfly.profile.Profile;
import mayfly.profile.SampledThread;
import mayfly.report.ConversionOptions;
import mayfly.report.Json;
import mayfly.report.tree.SafeText;
import mayfly.report.tree.ShownStacks;

/**
 * All samples in the order of their time, with what they stand for as their width. With threads, each thread is a
 * profile of its own, which speedscope lets one choose; otherwise all are in one.
 */
public final class Speedscope {
    private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";

    private final Profile profile;
    private final ShownStacks stacks;
    private final boolean threads;
    private final OutputStream out;
    private final Json json = new Json();
    private final Map<Shown, Integer> frameIds = new HashMap<>();
    private final List<Shown> frames = new ArrayList<>();
    /** The frame's number in the file for each id of {@link #stacks}, 0 if it has none yet. */
    private int[] numbers = new int[1 << 10];

    /** A frame of the file: what differs only in what is not shown is the same. */
    private record Shown(String name, String file) {}

    private Speedscope(Profile profile, ConversionOptions options, OutputStream out) {
        this.profile = profile;
        this.out = out;
        threads = options.threads();
        stacks = new ShownStacks(profile, new ConversionOptions(false, options.natives(), options.lines(),
                options.signatures(), options.runtime()));
    }

    public static void write(Profile profile, ConversionOptions options, OutputStream out) throws IOException {
        new Speedscope(profile, options, out).write();
    }

    private void write() throws IOException {
        json.beginObject().name("$schema").value(SCHEMA).name("exporter").value("mayfly");
        json.name("name").value(title()).name("profiles").beginArray();
        if (threads) {
            for (int thread = 0; thread < profile.threads().size(); thread++) {
                int[] samples = samplesOf(thread);
                if (samples.length > 0) {
                    SampledThread about = profile.threads().get(thread);
                    profile(SafeText.visible(about.name()) + " (" + about.tid() + ")", samples);
                }
            }
        } else {
            profile(title(), samplesOf(-1));
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

    /** The samples of one thread, of all for -1, that are shown. */
    private int[] samplesOf(int thread) {
        int[] samples = new int[profile.sampleCount()];
        int count = 0;
        for (int sample = 0; sample < samples.length; sample++) {
            if ((thread < 0 || profile.threadOf(sample) == thread) && stacks.shows(sample)) {
                samples[count++] = sample;
            }
        }
        return Arrays.copyOf(samples, count);
    }

    private void profile(String name, int[] samples) throws IOException {
        json.beginObject().name("type").value("sampled").name("name").value(name).name("unit")
                .value(switch (profile.recording().unit()) {
                    case NANOSECONDS -> "nanoseconds";
                    case BYTES -> "bytes";
                    case COUNT -> "none";
                });
        json.name("startValue").value(0).name("samples").beginArray();
        long end = 0;
        for (int sample : samples) {
            end += weight(sample);
            stack(sample);
        }
        json.endArray().name("weights").beginArray();
        for (int sample : samples) {
            json.value(weight(sample));
            drainIfLong();
        }
        json.endArray().name("endValue").value(end).endObject();
    }

    private long weight(int sample) {
        return Math.max(0, profile.valueOf(sample));
    }

    /** Root first. */
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
                case Frame.Java _, Frame.Stub _, Frame.Kernel _ -> new Shown(shown.label(), "");
                case Frame.Native code -> new Shown(shown.label(), code.library());
                case null -> new Shown(shown.label(), "");
            };
            numbers[id] = 1 + frameIds.computeIfAbsent(frame, fresh -> {
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
