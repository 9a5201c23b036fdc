package mayfly.process.replay;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import mayfly.arch.Architecture;
import mayfly.process.Mapping;
import mayfly.process.Memory;
import mayfly.process.TargetProcess;
import mayfly.process.TargetThread;

/**
 * A recorded process: its mappings, and the parts of its memory and files that were read during the recording. Every
 * other address faults.
 */
public final class RecordedProcess implements TargetProcess {
    private final ProcessRecording recording;

    public RecordedProcess(ProcessRecording recording) {
        this.recording = recording;
    }

    /**
     * Reads a recording.
     *
     * @param architecture the CPU of the process; the files do not contain it
     * @param layers the contents of its files, in the order of reading: a later file overrides an earlier one
     * @throws BadRecording if the bytes are not a recorded process
     */
    public static RecordedProcess read(Architecture architecture, byte[]... layers) throws BadRecording {
        ProcessRecording recording = new ProcessRecording(architecture);
        for (byte[] layer : layers) {
            RecordingFormat.read(layer, recording);
        }
        return new RecordedProcess(recording);
    }

    public ProcessRecording recording() {
        return recording;
    }

    @Override
    public Architecture architecture() {
        return recording.architecture();
    }

    @Override
    public int pid() {
        return recording.pid();
    }

    @Override
    public Memory memory() {
        return recording.memory();
    }

    @Override
    public List<Mapping> mappings() {
        return recording.mappings();
    }

    @Override
    public List<TargetThread> threads() {
        RecordedWalk walk = recording.walk();
        return walk == null ? List.of() : List.of(walk.thread());
    }

    @Override
    public MemorySegment file(Mapping mapping) throws IOException {
        for (RecordedFile file : recording.files()) {
            if (file.is(mapping)) {
                return file.image();
            }
        }
        throw new IOException(mapping.path() + " is not in the recording");
    }

    @Override
    public MemorySegment fileAt(String path) throws IOException {
        throw new IOException(path + " is not in the recording");
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
