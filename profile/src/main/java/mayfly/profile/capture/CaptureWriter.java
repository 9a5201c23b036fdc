package mayfly.profile.capture;

import static mayfly.profile.capture.CaptureFormat.HEADER_BYTES;
import static mayfly.profile.capture.CaptureFormat.MAGIC;
import static mayfly.profile.capture.CaptureFormat.MAX_STRING_BYTES;
import static mayfly.profile.capture.CaptureFormat.VERSION;
import static mayfly.profile.capture.CaptureFormat.code;

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
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Recording;
import mayfly.profile.StackTable;
import mayfly.profile.WalkOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Writes a capture as it is recorded. Runs in the sampling thread: {@link #sample} allocates nothing. What was
 * flushed can be read whatever happens to the process afterwards. The caller interns frames and stacks (see {@link
 * StackTable} and {@link #append}); ids are given out in order. See docs/formats/capture.md.
 */
public final class CaptureWriter implements Closeable {
    /** The longest record of numbers: type, length, and nine varints at most. */
    private static final int RECORD_BYTES = 128;

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final WritableByteChannel channel;
    private final RecordBuffer buffer = new RecordBuffer();
    private final Map<String, Integer> strings = new HashMap<>();
    private final int[] outcomeWords = new int[WalkOutcome.values().length];
    private final long monotonicNanos;
    private long lastNanos;
    private int frames;
    private int stacks = 1;
    private int threads;
    private @Nullable CaptureWriteException failure;

    /**
     * Starts a capture in a file that is new or empty. One that has contents is an error. Only the user may read it: it has
     * command lines.
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

    /** Starts a capture on a blocking channel, which the writer closes in the end. The header is written at once. */
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
        meta("jvm_version", recording.jvmVersion());
        for (String runtime : recording.runtimes()) {
            meta("runtime", runtime);
        }
        meta("event", recording.event());
        meta("unit", recording.unit().id());
        meta("rate", Integer.toString(recording.rate()));
        meta("collector", recording.collector());
        meta("host_kernel", recording.hostKernel());
        meta("cpus", Integer.toString(recording.cpus()));
        meta("epoch_nanos", Long.toString(recording.epochNanos()));
        meta("monotonic_nanos", Long.toString(recording.monotonicNanos()));
    }

    /**
     * A runtime has appeared in the target after the recording began: its line as in {@link Recording}, its version.
     */
    public void runtime(String line, String version) throws CaptureWriteException {
        meta("runtime", line);
        meta("jvm_version", version);
    }

    /** The target has become another program: its command line and its main class as in {@link Recording}. */
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
     * Writes the frames and stacks that the table has gained. Their ids here are the table's, if nothing else wrote
     * any.
     */
    public void append(StackTable table) throws CaptureWriteException {
        for (int id = frames; id < table.frameCount(); id++) {
            frame(table.frameAt(id));
        }
        for (int id = stacks; id < table.stackCount(); id++) {
            stack(table.parentOf(id), table.frameOf(id));
        }
    }

    /** Writes a frame. Returns its id: 0, 1, … */
    public int frame(Frame frame) throws CaptureWriteException {
        switch (frame) {
            case Frame.Managed managed -> {
                int className = string(managed.type());
                int method = string(managed.method());
                int descriptor = string(managed.descriptor());
                begin(CaptureFormat.FRAME);
                buffer.number(CaptureFormat.JAVA);
                buffer.number(managed.runtime().number());
                buffer.number(code(managed.kind(), managed.tier()));
                buffer.number(className);
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
                int library = string(function.library());
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

    /**
     * Writes a stack: a frame above another stack. Returns its id: 1, 2, …
     *
     * @param parent the caller's stack, 0 for none
     * @param frame a frame's id
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
     * @param startTicks its start time as in field 22 of {@code /proc/PID/stat}, 0 if not known
     * @param nanos CLOCK_MONOTONIC at which it had this name
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

    /** Writes another name of a thread. */
    public void threadName(int thread, long nanos, String name) throws CaptureWriteException {
        int nameId = string(name);
        begin(CaptureFormat.THREAD_NAME);
        buffer.number(thread);
        buffer.signed(nanos - monotonicNanos);
        buffer.number(nameId);
        buffer.end();
    }

    /**
     * Writes a sample.
     *
     * @param nanos CLOCK_MONOTONIC; need not increase
     * @param thread index of its thread
     * @param stack id of its stack, 0 for no frames
     * @param value in the recording's unit
     */
    public void sample(long nanos, int thread, int stack, long value, WalkOutcome outcome)
            throws CaptureWriteException {
        if (thread < 0 || thread >= threads || stack < 0 || stack >= stacks) {
            throw new IllegalArgumentException("no thread " + thread + " or no stack " + stack);
        }
        begin(CaptureFormat.SAMPLE);
        buffer.signed(nanos - lastNanos);
        buffer.number(thread);
        buffer.number(stack);
        buffer.signed(value);
        buffer.number(outcomeWords[outcome.ordinal()]);
        buffer.end();
        lastNanos = nanos;
    }

    /** Gives a native or kernel frame the symbol that was found for it after it was written. */
    public void symbol(int frame, String symbol) throws CaptureWriteException {
        int id = string(symbol);
        begin(CaptureFormat.SYMBOL);
        buffer.number(frame);
        buffer.number(id);
        buffer.end();
    }

    /** Writes the ledger, which ends the capture. */
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

    /** The string's id: 1, 2, …; 0 is the empty string. */
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

    /** Hands everything to the kernel: from now on it outlives this process. Call it about once a second. */
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
