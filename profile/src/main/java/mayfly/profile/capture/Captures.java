package mayfly.profile.capture;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.util.HashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import mayfly.profile.Frame;
import mayfly.profile.Measure;
import mayfly.profile.Profile;
import mayfly.profile.SampledThread;

/** Writes a profile as a capture with a single event. */
public final class Captures {
    /**
     * Writes a profile and flushes the stream. Does not close the stream.
     *
     * @throws IOException if the stream cannot be written
     * @throws IllegalArgumentException if the samples of the profile are combined
     */
    public static void write(Profile profile, OutputStream out) throws IOException {
        if (profile.isSummed()) {
            throw new IllegalArgumentException("a capture needs every sample");
        }
        try (var writer = new CaptureWriter(Channels.newChannel(new Unclosed(out)), profile.recordingOfEvent())) {
            writer.identifyLibraries(buildIds(profile));
            for (Frame frame : profile.frames()) {
                writer.frame(frame);
            }
            for (int stack = 1; stack < profile.stackCount(); stack++) {
                writer.stack(profile.parentOf(stack), profile.frameOf(stack));
            }
            for (int i = 0; i < profile.threads().size(); i++) {
                thread(writer, i, profile.threads().get(i));
            }
            boolean several = profile.event().measures().size() > 1;
            for (int i = 0; i < profile.sampleCount(); i++) {
                if (several) {
                    writer.sample(
                            0,
                            profile.nanosOf(i),
                            profile.threadOf(i),
                            profile.stackOf(i),
                            measures(writer, profile, i),
                            profile.outcomeOf(i));
                } else {
                    writer.sample(
                            0,
                            profile.nanosOf(i),
                            profile.threadOf(i),
                            profile.stackOf(i),
                            profile.valueOf(i),
                            profile.outcomeOf(i));
                }
            }
            if (!profile.ledger().cutShort()) {
                writer.ledger(profile.ledger());
            }
        }
        out.flush();
    }

    private static UnaryOperator<String> buildIds(Profile profile) {
        var byName = new HashMap<String, String>();
        profile.libraries().forEach(library -> byName.put(library.name(), library.buildId()));
        return name -> byName.getOrDefault(name, "");
    }

    private static long[] measures(CaptureWriter writer, Profile profile, int sample) throws IOException {
        List<Measure> measures = profile.event().measures();
        long[] values = new long[measures.size()];
        for (int i = 0; i < values.length; i++) {
            Measure measure = measures.get(i);
            values[i] = measure.isNumber() ? profile.valueOf(sample, measure) : writer.word(profile.stateOf(sample));
        }
        return values;
    }

    private static void thread(CaptureWriter writer, int index, SampledThread thread) throws IOException {
        SampledThread.Name first = thread.names().getFirst();
        writer.thread(thread.tid(), thread.startTicks(), first.nanos(), first.name());
        for (SampledThread.Name name : thread.names().subList(1, thread.names().size())) {
            writer.threadName(index, name.nanos(), name.name());
        }
    }

    private static final class Unclosed extends FilterOutputStream {
        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    private Captures() {}
}
