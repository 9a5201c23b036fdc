package mayfly.profile.capture.writers;

import mayfly.profile.CaptureWriteException;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the metadata of the recording and its runtimes. */
public final class AboutWriter {
    private final BlockOutput out;
    private final WordWriter words;

    public AboutWriter(BlockOutput out, WordWriter words) {
        this.out = out;
        this.words = words;
    }

    /**
     * Writes everything about the recording except its events.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void recording(Recording recording) throws CaptureWriteException {
        meta("pid", Integer.toString(recording.pid()));
        program(recording.commandLine(), recording.mainClass());
        meta("collector", recording.collector());
        meta("host_kernel", recording.hostKernel());
        meta("cpus", Integer.toString(recording.cpus()));
        meta("epoch_nanos", Long.toString(recording.epochNanos()));
        meta("monotonic_nanos", Long.toString(recording.monotonicNanos()));
        for (RecordedRuntime runtime : recording.runtimes()) {
            runtime(runtime);
        }
    }

    /**
     * Writes the program of the target, which replaces one that was written earlier.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void program(String commandLine, String mainClass) throws CaptureWriteException {
        meta("command_line", commandLine);
        meta("main_class", mainClass);
    }

    private void meta(String key, String value) throws CaptureWriteException {
        int keyWord = words.word(key);
        int valueWord = words.word(value);
        RecordBuffer record = out.begin(CaptureFormat.META);
        record.number(keyWord);
        record.number(valueWord);
        record.end();
    }

    /**
     * Writes a runtime of the target.
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void runtime(RecordedRuntime runtime) throws CaptureWriteException {
        int kind = words.word(runtime.kind());
        int name = words.word(runtime.name());
        int version = words.word(runtime.version());
        RecordBuffer record = out.begin(CaptureFormat.RUNTIME);
        record.number(runtime.id().number());
        record.number(kind);
        record.number(name);
        record.number(version);
        record.end();
    }
}
