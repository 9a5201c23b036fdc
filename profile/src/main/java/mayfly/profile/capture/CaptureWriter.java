package mayfly.profile.capture;

import static mayfly.profile.capture.records.CaptureFormat.HEADER_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.MAGIC;
import static mayfly.profile.capture.records.CaptureFormat.MAX_EVENTS;
import static mayfly.profile.capture.records.CaptureFormat.MAX_STRING_BYTES;
import static mayfly.profile.capture.records.CaptureFormat.VERSION;
import static mayfly.profile.capture.records.CaptureFormat.code;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Measure;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.SampledEvent;
import mayfly.profile.StackTable;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.records.CaptureFormat;
import mayfly.profile.capture.records.RecordBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a capture during the recording. Runs in the sampling thread: {@link #sample} does not allocate. Flushed data
 * remains readable even if the process is killed. The caller interns frames and stacks (see {@link StackTable} and
 * {@link #append}); ids are assigned in order. See docs/formats/capture.md.
 */
public final class CaptureWriter implements Closeable {
    /** Upper bound on the size of a record of numbers: type, length, and varints. */
    private static final int RECORD_BYTES = 128;

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private record Mode(String language, String kind, String tier) {}

    private final WritableByteChannel channel;
    private final RecordBuffer buffer = new RecordBuffer();
    private final Map<String, Integer> strings = new HashMap<>();
    private final int[] outcomeWords = new int[WalkOutcome.values().length];
    private final List<SampledEvent> events = new ArrayList<>();
    /** The number of measures of each event, by its id; 0 for an id without an event. */
    private final int[] measureCounts = new int[MAX_EVENTS];
    private final List<Mode> modes = new ArrayList<>();
    /** The ids of libraries, 1, 2, … */
    private final Map<String, Integer> libraries = new HashMap<>();
    private UnaryOperator<String> buildIds = library -> "";
    private final long monotonicNanos;
    private long lastNanos;
    private int frames;
    private int stacks = 1;
    private int threads;
    private @Nullable CaptureWriteException failure;

    /**
     * Starts a capture in a file that is new or empty. A file with contents is an error. Only the user may read the
     * file, because it contains command lines.
     *
     * @throws IOException if the file has contents or cannot be written
     */
    public static CaptureWriter create(Path file, Recording recording) throws IOException {
        FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
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
     * Starts a capture on a blocking channel, which the writer closes in the end. The header is written immediately.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public CaptureWriter(WritableByteChannel channel, Recording recording) throws CaptureWriteException {
        this.channel = channel;
        monotonicNanos = recording.monotonicNanos();
        lastNanos = monotonicNanos;
        header();
        recording(recording);
        for (WalkOutcome outcome : WalkOutcome.values()) {
            outcomeWords[outcome.ordinal()] = outcome == WalkOutcome.COMPLETE ? 0 : string(outcome.id());
        }
        flush();
    }

    private void header() throws CaptureWriteException {
        var header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(0).flip();
        try {
            while (header.hasRemaining()) {
                channel.write(header);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void recording(Recording recording) throws CaptureWriteException {
        meta("pid", Integer.toString(recording.pid()));
        meta("command_line", recording.commandLine());
        meta("main_class", recording.mainClass());
        meta("collector", recording.collector());
        meta("host_kernel", recording.hostKernel());
        meta("cpus", Integer.toString(recording.cpus()));
        meta("epoch_nanos", Long.toString(recording.epochNanos()));
        meta("monotonic_nanos", Long.toString(recording.monotonicNanos()));
        for (RecordedRuntime runtime : recording.runtimes()) {
            runtime(runtime);
        }
        for (SampledEvent event : recording.events()) {
            event(event);
        }
    }

    /**
     * Sets the source of the build ids of libraries that contain native frames. It is called once for each library,
     * with the name that frames use, when the library's first frame is written. It returns the build id in hexadecimal,
     * or an empty text if there is none. Until this method is called, libraries have no build id.
     */
    public void identifyLibraries(UnaryOperator<String> source) {
        buildIds = source;
    }

    /**
     * Writes an event in addition to those that the recording had at its start. Returns its id, which samples refer to.
     *
     * @throws IllegalStateException if there are {@link CaptureFormat#MAX_EVENTS} already
     */
    public int event(SampledEvent event) throws CaptureWriteException {
        if (events.size() == MAX_EVENTS) {
            throw new IllegalStateException("a capture has at most " + MAX_EVENTS + " events");
        }
        int name = string(event.name());
        int unit = string(event.unit().id());
        int[] measures = new int[event.measures().size()];
        for (int i = 0; i < measures.length; i++) {
            measures[i] = string(event.measures().get(i).id());
        }
        begin(CaptureFormat.EVENT);
        buffer.number(name);
        buffer.number(unit);
        buffer.number(event.rate());
        buffer.number(event.period());
        buffer.number(measures.length);
        for (int measure : measures) {
            buffer.number(measure);
        }
        buffer.end();
        measureCounts[events.size()] = measures.length;
        events.add(event);
        return events.size() - 1;
    }

    /**
     * Writes a runtime that has appeared in the target after the start of the recording.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void runtime(RecordedRuntime runtime) throws CaptureWriteException {
        int kind = string(runtime.kind());
        int name = string(runtime.name());
        int version = string(runtime.version());
        begin(CaptureFormat.RUNTIME);
        buffer.number(runtime.id().number());
        buffer.number(kind);
        buffer.number(name);
        buffer.number(version);
        buffer.end();
    }

    /**
     * Records that the target has called execve(2), with its new command line and main class as in {@link Recording}.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void program(String commandLine, String mainClass) throws CaptureWriteException {
        meta("command_line", commandLine);
        meta("main_class", mainClass);
    }

    private void meta(String key, String value) throws CaptureWriteException {
        pair(CaptureFormat.META, key, value);
    }

    private void pair(int type, String key, String value) throws CaptureWriteException {
        int keyId = string(key);
        int valueId = string(value);
        begin(type);
        buffer.number(keyId);
        buffer.number(valueId);
        buffer.end();
    }

    /**
     * Writes the frames and stacks that were added to the table. Their ids here are the table's if all others come from
     * the same table.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void append(StackTable table) throws CaptureWriteException {
        for (int id = frames; id < table.frameCount(); id++) {
            frame(table.frameAt(id));
        }
        for (int id = stacks; id < table.stackCount(); id++) {
            stack(table.parentOf(id), table.frameOf(id));
        }
    }

    /**
     * Writes a frame. Returns its id: 0, 1, …
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int frame(Frame frame) throws CaptureWriteException {
        switch (frame) {
            case Frame.Managed managed -> {
                int mode = mode(managed);
                int type = string(managed.type());
                int method = string(managed.method());
                int descriptor = string(managed.descriptor());
                begin(CaptureFormat.FRAME);
                buffer.number(CaptureFormat.MANAGED);
                buffer.number(managed.runtime().number());
                buffer.number(mode);
                buffer.number(type);
                buffer.number(method);
                buffer.number(descriptor);
                buffer.number(Math.max(managed.position(), -1) + 1L);
                buffer.number(Math.max(managed.line(), -1) + 1L);
                if (managed.certainty() != Frame.Certainty.CERTAIN) {
                    buffer.number(code(managed.certainty()));
                }
            }
            case Frame.Stub stub -> {
                int name = string(stub.name());
                begin(CaptureFormat.FRAME);
                buffer.number(CaptureFormat.STUB);
                buffer.number(stub.runtime().number());
                buffer.number(name);
            }
            case Frame.Native function -> {
                int library = library(function.library());
                int symbol = string(function.symbol());
                begin(CaptureFormat.FRAME);
                buffer.number(CaptureFormat.NATIVE);
                buffer.number(function.vm() ? 1 : 0);
                buffer.number(library);
                buffer.number(function.address());
                buffer.number(symbol);
            }
            case Frame.Kernel function -> {
                int symbol = string(function.symbol());
                begin(CaptureFormat.FRAME);
                buffer.number(CaptureFormat.KERNEL);
                buffer.number(function.site());
                buffer.number(symbol);
            }
            case Frame.Omitted omitted -> {
                begin(CaptureFormat.FRAME);
                buffer.number(CaptureFormat.OMITTED);
                buffer.number(omitted.frames());
            }
        }
        buffer.end();
        return frames++;
    }

    /** Returns the id of a frame's language, kind and tier: 0, 1, …; there are few of them. */
    private int mode(Frame.Managed frame) throws CaptureWriteException {
        for (int id = 0; id < modes.size(); id++) {
            Mode known = modes.get(id);
            if (known.tier.equals(frame.tier()) && known.kind.equals(frame.kind())
                    && known.language.equals(frame.language())) {
                return id;
            }
        }
        var mode = new Mode(frame.language(), frame.kind(), frame.tier());
        int language = string(mode.language);
        int kind = string(mode.kind);
        int tier = string(mode.tier);
        begin(CaptureFormat.MODE);
        buffer.number(language);
        buffer.number(kind);
        buffer.number(tier);
        buffer.end();
        modes.add(mode);
        return modes.size() - 1;
    }

    /** Returns the library's id: 1, 2, …; 0 for code outside every file. */
    private int library(String name) throws CaptureWriteException {
        if (name.isEmpty()) {
            return 0;
        }
        Integer known = libraries.get(name);
        if (known != null) {
            return known;
        }
        int nameId = string(name);
        int buildId = string(buildIds.apply(name));
        begin(CaptureFormat.LIBRARY);
        buffer.number(nameId);
        buffer.number(buildId);
        buffer.end();
        int id = libraries.size() + 1;
        libraries.put(name, id);
        return id;
    }

    /**
     * Writes a stack: a frame above another stack. Returns its id: 1, 2, …
     *
     * @param parent the caller's stack, 0 for none
     * @param frame a frame's id
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int stack(int parent, int frame) throws CaptureWriteException {
        if (parent < 0 || parent >= stacks || frame < 0 || frame >= frames) {
            throw new IllegalArgumentException("no stack " + parent + " or no frame " + frame);
        }
        begin(CaptureFormat.STACK);
        buffer.number(stacks - parent);
        buffer.number(frame);
        buffer.end();
        return stacks++;
    }

    /**
     * Writes a thread with its first name. Returns its index: 0, 1, …
     *
     * @param startTicks its start time as in field 22 of {@code /proc/PID/stat}, 0 if unknown
     * @param nanos CLOCK_MONOTONIC at which it had this name
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int thread(int tid, long startTicks, long nanos, String name) throws CaptureWriteException {
        int nameId = string(name);
        begin(CaptureFormat.THREAD);
        buffer.number(tid);
        buffer.number(startTicks);
        buffer.signed(nanos - monotonicNanos);
        buffer.number(nameId);
        buffer.end();
        return threads++;
    }

    /**
     * Writes another name of a thread.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void threadName(int thread, long nanos, String name) throws CaptureWriteException {
        int nameId = string(name);
        begin(CaptureFormat.THREAD_NAME);
        buffer.number(thread);
        buffer.signed(nanos - monotonicNanos);
        buffer.number(nameId);
        buffer.end();
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
     */
    public void sample(int event, long nanos, int thread, int stack, long value, WalkOutcome outcome)
            throws CaptureWriteException {
        require(event, 1, thread, stack);
        beginSample(event, nanos, thread, stack, outcome);
        buffer.signed(value);
        buffer.end();
    }

    /**
     * Writes a sample of any event.
     *
     * @param values its measures, in the order of the event; for a state, the result of {@link #word}
     * @throws IllegalArgumentException if there is no such event, thread, stack or word, or the number of measures
     *     differs from that of the event
     */
    public void sample(int event, long nanos, int thread, int stack, long[] values, WalkOutcome outcome)
            throws CaptureWriteException {
        require(event, values.length, thread, stack);
        List<Measure> measures = events.get(event).measures();
        for (int i = 0; i < values.length; i++) {
            if (!measures.get(i).isNumber() && (values[i] < 0 || values[i] > strings.size())) {
                throw new IllegalArgumentException("no word " + values[i]);
            }
        }
        beginSample(event, nanos, thread, stack, outcome);
        for (int i = 0; i < values.length; i++) {
            if (measures.get(i).isNumber()) {
                buffer.signed(values[i]);
            } else {
                buffer.number(values[i]);
            }
        }
        buffer.end();
    }

    /**
     * Writes a word, unless it was written before. Returns the number that represents it in a sample.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int word(String text) throws CaptureWriteException {
        return string(text);
    }

    private void require(int event, int measures, int thread, int stack) {
        if (event < 0 || event >= MAX_EVENTS || measureCounts[event] != measures || measures == 0) {
            throw new IllegalArgumentException("no event " + event + " of " + measures + " measures");
        }
        if (thread < 0 || thread >= threads || stack < 0 || stack >= stacks) {
            throw new IllegalArgumentException("no thread " + thread + " or no stack " + stack);
        }
    }

    private void beginSample(int event, long nanos, int thread, int stack, WalkOutcome outcome)
            throws CaptureWriteException {
        begin(CaptureFormat.SAMPLE + event);
        buffer.signed(nanos - lastNanos);
        buffer.number(thread);
        buffer.number(stack);
        buffer.number(outcomeWords[outcome.ordinal()]);
        lastNanos = nanos;
    }

    /**
     * Adds the symbol of a native or kernel frame that was found after the frame was written.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void symbol(int frame, String symbol) throws CaptureWriteException {
        int id = string(symbol);
        begin(CaptureFormat.SYMBOL);
        buffer.number(frame);
        buffer.number(id);
        buffer.end();
    }

    /**
     * Writes the ledger, which ends the capture.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void ledger(Ledger ledger) throws CaptureWriteException {
        sentence("collector", ledger.collector());
        figure("rate", ledger.rate());
        figure("duration_nanos", ledger.durationNanos());
        for (Map.Entry<WalkOutcome, Long> entry : ledger.outcomes().entrySet()) {
            figure("outcome." + entry.getKey().id(), entry.getValue());
        }
        figure("lost", ledger.lost());
        figure("throttled", ledger.throttled());
        figure("duplicates", ledger.duplicates());
        figure("sampled_cpu_nanos", ledger.sampledCpuNanos());
        figure("proc_cpu_nanos", ledger.procCpuNanos());
        figure("superseded_frames", ledger.supersededFrames());
        figure("continued_stacks", ledger.continuedStacks());
        figure("unsaved_stacks", ledger.unsavedStacks());
        figure("inferred_leaves", ledger.inferredLeaves());
        for (String note : ledger.notes()) {
            sentence("note", note);
        }
        for (String alarm : ledger.alarms()) {
            sentence("alarm", alarm);
        }
        begin(CaptureFormat.END);
        buffer.end();
    }

    private void figure(String key, long value) throws CaptureWriteException {
        int keyId = string(key);
        begin(CaptureFormat.FIGURE);
        buffer.number(keyId);
        buffer.signed(value);
        buffer.end();
    }

    private void sentence(String key, String value) throws CaptureWriteException {
        pair(CaptureFormat.SENTENCE, key, value);
    }

    /** Returns the string's id: 1, 2, …; 0 is the empty string. */
    private int string(String text) throws CaptureWriteException {
        if (text.isEmpty()) {
            return 0;
        }
        Integer known = strings.get(text);
        if (known != null) {
            return known;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_STRING_BYTES) {
            bytes = cut(bytes);
        }
        makeRoom(bytes.length + RECORD_BYTES);
        buffer.blob(CaptureFormat.STRING, bytes, bytes.length);
        int id = strings.size() + 1;
        strings.put(text, id);
        return id;
    }

    private static byte[] cut(byte[] bytes) {
        byte[] ellipsis = "…".getBytes(StandardCharsets.UTF_8);
        int end = MAX_STRING_BYTES - ellipsis.length;
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        byte[] shorter = new byte[end + ellipsis.length];
        System.arraycopy(bytes, 0, shorter, 0, end);
        System.arraycopy(ellipsis, 0, shorter, end, ellipsis.length);
        return shorter;
    }

    private void begin(int type) throws CaptureWriteException {
        makeRoom(RECORD_BYTES);
        buffer.begin(type);
    }

    private void makeRoom(int bytes) throws CaptureWriteException {
        if (failure != null || !buffer.hasRoom(bytes)) {
            flush();
        }
    }

    /**
     * Writes all buffered data to the kernel, after which it survives the end of this process. Called about once a
     * second.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void flush() throws CaptureWriteException {
        if (failure != null) {
            throw failed(failure);
        }
        if (buffer.isEmpty()) {
            return;
        }
        try {
            buffer.writeTo(channel);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private CaptureWriteException failed(IOException cause) {
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        var exception = new CaptureWriteException(reason, cause);
        if (failure == null) {
            failure = exception;
        }
        return exception;
    }

    /** Flushes and closes the channel. After a failure it only closes. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (failure == null) {
                flush();
            }
        }
    }
}
