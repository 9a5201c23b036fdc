package mayfly.profile.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.StackTable;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.writers.AboutWriter;
import mayfly.profile.capture.writers.BlockOutput;
import mayfly.profile.capture.writers.EventWriter;
import mayfly.profile.capture.writers.FrameWriter;
import mayfly.profile.capture.writers.LedgerWriter;
import mayfly.profile.capture.writers.SampleWriter;
import mayfly.profile.capture.writers.StackWriter;
import mayfly.profile.capture.writers.ThreadWriter;
import mayfly.profile.capture.writers.WordWriter;

/**
 * Writes a capture during the recording. Runs in the sampling thread: {@link #sample} does not allocate. Flushed data
 * remains readable even if the process is killed. The caller interns frames and stacks (see {@link StackTable} and
 * {@link #append}); ids are assigned in order. See docs/formats/capture.md.
 */
public final class CaptureWriter implements Closeable {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final WritableByteChannel channel;
    private final BlockOutput out;
    private final WordWriter words;
    private final AboutWriter about;
    private final EventWriter events;
    private final FrameWriter frames;
    private final StackWriter stacks;
    private final ThreadWriter threads;
    private final SampleWriter samples;

    /**
     * Starts a capture in a file that is new or empty. Only the user may read the file, because it contains command
     * lines.
     *
     * @throws IOException if the file has contents or cannot be written
     */
    public static CaptureWriter create(Path file, Recording recording) throws IOException {
        FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            if (Files.isRegularFile(file)) {
                Files.setPosixFilePermissions(file, OWNER_ONLY);
            }
            if (channel.size() > 0) {
                throw new FileAlreadyExistsException(file.toString());
            }
            return new CaptureWriter(channel, recording);
        } catch (IOException | RuntimeException e) {
            try (channel) {
                throw e;
            }
        }
    }

    /**
     * Starts a capture on a blocking channel, which {@link #close} closes. The header is written immediately.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public CaptureWriter(WritableByteChannel channel, Recording recording) throws CaptureWriteException {
        this.channel = channel;
        out = new BlockOutput(channel);
        words = new WordWriter(out);
        about = new AboutWriter(out, words);
        events = new EventWriter(out, words);
        frames = new FrameWriter(out, words);
        stacks = new StackWriter(out, frames);
        threads = new ThreadWriter(out, words, recording.monotonicNanos());
        about.recording(recording);
        for (SampledEvent event : recording.events()) {
            events.event(event);
        }
        samples = new SampleWriter(out, words, events, threads, stacks, recording.monotonicNanos());
        out.flush();
    }

    /**
     * Sets the source of the build ids of libraries that contain native frames. The source is called once for each
     * library, with the name that frames use, when the library's first frame is written. It returns the build id in
     * hexadecimal, or an empty text if there is none. Until this method is called, libraries have no build id.
     */
    public void identifyLibraries(UnaryOperator<String> source) {
        frames.identifyLibraries(source);
    }

    /**
     * Writes an event in addition to those that the recording had at its start. Returns its id, which samples refer to.
     *
     * @throws IllegalStateException if there are {@link CaptureFormat#MAX_EVENTS} already
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int event(SampledEvent event) throws CaptureWriteException {
        return events.event(event);
    }

    /**
     * Writes a runtime that has appeared in the target after the start of the recording.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void runtime(RecordedRuntime runtime) throws CaptureWriteException {
        about.runtime(runtime);
    }

    /**
     * Records that the target has called execve(2), with its new command line and main class as in {@link Recording}.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void program(String commandLine, String mainClass) throws CaptureWriteException {
        about.program(commandLine, mainClass);
    }

    /**
     * Writes the frames and stacks that were added to the table. Their ids in the capture equal those in the table if
     * all frames and stacks come from this table.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void append(StackTable table) throws CaptureWriteException {
        for (int id = frames.count(); id < table.frameCount(); id++) {
            frames.frame(table.frameAt(id));
        }
        for (int id = stacks.count(); id < table.stackCount(); id++) {
            stacks.stack(table.parentOf(id), table.frameOf(id));
        }
    }

    /**
     * Writes a frame. Returns its id: 0, 1, …
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int frame(Frame frame) throws CaptureWriteException {
        return frames.frame(frame);
    }

    /**
     * Writes a stack: a frame that is called from another stack. Returns its id: 1, 2, …
     *
     * @param parent the caller's stack, 0 for none
     * @param frame a frame's id
     * @throws IllegalArgumentException if there is no such stack or frame
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int stack(int parent, int frame) throws CaptureWriteException {
        return stacks.stack(parent, frame);
    }

    /**
     * Writes a thread with its first name. Returns its index: 0, 1, …
     *
     * @param startTicks its start time as in field 22 of {@code /proc/PID/stat}, 0 if unknown
     * @param nanos CLOCK_MONOTONIC at which it had this name
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int thread(int tid, long startTicks, long nanos, String name) throws CaptureWriteException {
        return threads.thread(tid, startTicks, nanos, name);
    }

    /**
     * Writes another name of a thread.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void threadName(int thread, long nanos, String name) throws CaptureWriteException {
        threads.name(thread, nanos, name);
    }

    /**
     * Writes a sample of an event that has one measure.
     *
     * @param event the event's id: its index in the recording's events, or the result of {@link #event}
     * @param nanos CLOCK_MONOTONIC; need not increase
     * @param thread index of its thread
     * @param stack id of its stack, 0 for no frames
     * @param value in the event's unit
     * @param outcome the outcome of its walk
     * @throws IllegalArgumentException if there is no such event, thread or stack, or the event has more measures
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void sample(int event, long nanos, int thread, int stack, long value, WalkOutcome outcome)
            throws CaptureWriteException {
        samples.sample(event, nanos, thread, stack, value, outcome);
    }

    /**
     * Writes a sample of any event.
     *
     * @param values its measures, in the order of the event; for a state, the result of {@link #word}
     * @throws IllegalArgumentException if there is no such event, thread, stack or word, or the number of measures
     *     differs from that of the event
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void sample(int event, long nanos, int thread, int stack, long[] values, WalkOutcome outcome)
            throws CaptureWriteException {
        samples.sample(event, nanos, thread, stack, values, outcome);
    }

    /**
     * Writes a word, unless it has been written. Returns the number that represents it in a sample.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int word(String text) throws CaptureWriteException {
        return words.word(text);
    }

    /**
     * Adds the symbol of a native or kernel frame, if the symbol was found after the frame was written.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void symbol(int frame, String symbol) throws CaptureWriteException {
        frames.symbol(frame, symbol);
    }

    /**
     * Writes the ledger of event 0, which ends the capture.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void ledger(Ledger ledger) throws CaptureWriteException {
        ledgers(List.of(ledger));
    }

    /**
     * Writes the ledgers, which end the capture.
     *
     * @param ledgers those of the events, by their ids
     * @throws IllegalArgumentException if there are more ledgers than events
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void ledgers(List<Ledger> ledgers) throws CaptureWriteException {
        if (ledgers.size() > events.count()) {
            throw new IllegalArgumentException(ledgers.size() + " ledgers of " + events.count() + " events");
        }
        new LedgerWriter(out, words).ledgers(ledgers);
    }

    /**
     * Writes all buffered data to the kernel, after which it survives the end of this process. Called about once a
     * second.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void flush() throws CaptureWriteException {
        out.flush();
    }

    /** Flushes and closes the channel. After a failure it only closes the channel. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (!out.hasFailed()) {
                out.flush();
            }
        }
    }
}
