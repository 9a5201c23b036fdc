package mayfly.profile.capture.records;

import java.util.ArrayList;
import java.util.List;
import mayfly.profile.Frame;
import mayfly.profile.RecordedLibrary;
import mayfly.profile.RuntimeId;
import mayfly.profile.capture.records.RecordCursor.BadRecord;

/** Reads the frames of a capture, and the libraries and modes that they refer to. */
public final class FrameRecords {
    private record Mode(String language, String kind, String tier) {}

    private final AboutRecords about;
    private final List<Frame> frames = new ArrayList<>();
    private final List<RecordedLibrary> libraries = new ArrayList<>();
    private final List<Mode> modes = new ArrayList<>();
    private RuntimeId lastRuntime = new RuntimeId(1);

    /** @param about the source of the strings */
    public FrameRecords(AboutRecords about) {
        this.about = about;
    }

    /**
     * Reads the next library, to which native frames refer.
     *
     * @throws BadRecord if the record is malformed or refers to no such string
     */
    public RecordedLibrary library(RecordCursor record) throws BadRecord {
        var library = new RecordedLibrary(about.word(record), about.word(record));
        libraries.add(library);
        return library;
    }

    /**
     * Reads the next mode, to which managed frames refer: language, kind and tier.
     *
     * @throws BadRecord if the record is malformed or refers to no such string
     */
    public void mode(RecordCursor record) throws BadRecord {
        modes.add(new Mode(about.word(record), about.word(record), about.word(record)));
    }

    /**
     * Reads the next frame.
     *
     * @throws BadRecord if the record is malformed, has an unknown kind, or refers to data that was not read before
     */
    public Frame frame(RecordCursor record) throws BadRecord {
        long kind = record.number();
        Frame frame;
        if (kind == CaptureFormat.MANAGED) {
            frame = managed(record);
        } else if (kind == CaptureFormat.STUB) {
            frame = new Frame.Stub(runtime(record), about.word(record));
        } else if (kind == CaptureFormat.NATIVE) {
            boolean vm = (record.number() & 1) != 0;
            int library = record.index("library", libraries.size() + 1);
            long address = record.number();
            frame = new Frame.Native(
                    library == 0 ? "" : libraries.get(library - 1).name(), address, about.word(record), vm);
        } else if (kind == CaptureFormat.OMITTED) {
            frame = new Frame.Omitted(Math.max(0, record.number()));
        } else if (kind == CaptureFormat.KERNEL) {
            frame = new Frame.Kernel(record.index("site", Integer.MAX_VALUE), about.word(record));
        } else {
            throw new BadRecord("a frame of kind " + Long.toUnsignedString(kind));
        }
        frames.add(frame);
        return frame;
    }

    private Frame managed(RecordCursor record) throws BadRecord {
        RuntimeId runtime = runtime(record);
        Mode mode = modes.get(record.index("mode", modes.size()));
        return new Frame.Managed(
                runtime,
                mode.language,
                mode.kind,
                mode.tier,
                about.word(record),
                about.word(record),
                about.word(record),
                record.index("position", Integer.MAX_VALUE) - 1,
                record.index("line", Integer.MAX_VALUE) - 1,
                "",
                CaptureFormat.certainty(record.remaining() > 0 ? record.number() : 0));
    }

    private RuntimeId runtime(RecordCursor record) throws BadRecord {
        int number = AboutRecords.runtimeNumber(record);
        if (number != lastRuntime.number()) {
            lastRuntime = new RuntimeId(number);
        }
        return lastRuntime;
    }

    /**
     * Reads the symbol of an earlier frame. Returns the frame's id.
     *
     * @throws BadRecord if the record is malformed, or the frame does not exist or is neither native nor kernel
     */
    public int symbol(RecordCursor record) throws BadRecord {
        int id = record.index("frame", frames.size());
        String symbol = about.word(record);
        switch (frames.get(id)) {
            case Frame.Native f -> frames.set(id, new Frame.Native(f.library(), f.address(), symbol, f.vm()));
            case Frame.Kernel f -> frames.set(id, new Frame.Kernel(f.site(), symbol));
            case Frame.Managed _, Frame.Stub _, Frame.Omitted _ ->
                throw new BadRecord("a symbol for frame " + id + ", which is neither native nor kernel");
        }
        return id;
    }

    public List<Frame> frames() {
        return frames;
    }

    public List<RecordedLibrary> libraries() {
        return libraries;
    }
}
