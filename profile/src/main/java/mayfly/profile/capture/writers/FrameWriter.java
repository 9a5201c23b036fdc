package mayfly.profile.capture.writers;

import static mayfly.profile.capture.records.CaptureFormat.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import mayfly.profile.CaptureWriteException;
import mayfly.profile.Frame;
import mayfly.profile.capture.records.CaptureFormat;

/** Writes the frames of a capture, with the libraries and modes that they refer to. */
public final class FrameWriter {
    private record Mode(String language, String kind, String tier) {}

    private final BlockOutput out;
    private final WordWriter words;
    private final List<Mode> modes = new ArrayList<>();
    /** The ids of libraries, 1, 2, … */
    private final Map<String, Integer> libraries = new HashMap<>();

    private UnaryOperator<String> buildIds = library -> "";
    private int count;

    public FrameWriter(BlockOutput out, WordWriter words) {
        this.out = out;
        this.words = words;
    }

    public void identifyLibraries(UnaryOperator<String> source) {
        buildIds = source;
    }

    public int count() {
        return count;
    }

    /**
     * Writes a frame. Returns its id: 0, 1, …
     *
     * @throws CaptureWriteException if the capture cannot be written
     */
    public int frame(Frame frame) throws CaptureWriteException {
        switch (frame) {
            case Frame.Managed managed -> managed(managed);
            case Frame.Stub stub -> stub(stub);
            case Frame.Native function -> nativeCode(function);
            case Frame.Kernel function -> kernel(function);
            case Frame.Omitted omitted -> {
                RecordBuffer record = begin(CaptureFormat.OMITTED);
                record.number(omitted.frames());
                record.end();
            }
        }
        return count++;
    }

    private RecordBuffer begin(int kind) throws CaptureWriteException {
        RecordBuffer record = out.begin(CaptureFormat.FRAME);
        record.number(kind);
        return record;
    }

    private void managed(Frame.Managed frame) throws CaptureWriteException {
        int mode = mode(frame);
        int type = words.word(frame.type());
        int method = words.word(frame.method());
        int descriptor = words.word(frame.descriptor());
        RecordBuffer record = begin(CaptureFormat.MANAGED);
        record.number(frame.runtime().number());
        record.number(mode);
        record.number(type);
        record.number(method);
        record.number(descriptor);
        record.number(Math.max(frame.position(), -1) + 1L);
        record.number(Math.max(frame.line(), -1) + 1L);
        if (frame.certainty() != Frame.Certainty.CERTAIN) {
            record.number(code(frame.certainty()));
        }
        record.end();
    }

    private void stub(Frame.Stub frame) throws CaptureWriteException {
        int name = words.word(frame.name());
        RecordBuffer record = begin(CaptureFormat.STUB);
        record.number(frame.runtime().number());
        record.number(name);
        record.end();
    }

    private void nativeCode(Frame.Native frame) throws CaptureWriteException {
        int library = library(frame.library());
        int symbol = words.word(frame.symbol());
        RecordBuffer record = begin(CaptureFormat.NATIVE);
        record.number(frame.vm() ? 1 : 0);
        record.number(library);
        record.number(frame.address());
        record.number(symbol);
        record.end();
    }

    private void kernel(Frame.Kernel frame) throws CaptureWriteException {
        int symbol = words.word(frame.symbol());
        RecordBuffer record = begin(CaptureFormat.KERNEL);
        record.number(frame.site());
        record.number(symbol);
        record.end();
    }

    /** Returns the id of a frame's language, kind and tier: 0, 1, …; there are few of them. */
    private int mode(Frame.Managed frame) throws CaptureWriteException {
        for (int id = 0; id < modes.size(); id++) {
            Mode known = modes.get(id);
            if (known.tier.equals(frame.tier())
                    && known.kind.equals(frame.kind())
                    && known.language.equals(frame.language())) {
                return id;
            }
        }
        var mode = new Mode(frame.language(), frame.kind(), frame.tier());
        int language = words.word(mode.language);
        int kind = words.word(mode.kind);
        int tier = words.word(mode.tier);
        RecordBuffer record = out.begin(CaptureFormat.MODE);
        record.number(language);
        record.number(kind);
        record.number(tier);
        record.end();
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
        int nameWord = words.word(name);
        int buildId = words.word(buildIds.apply(name));
        RecordBuffer record = out.begin(CaptureFormat.LIBRARY);
        record.number(nameWord);
        record.number(buildId);
        record.end();
        int id = libraries.size() + 1;
        libraries.put(name, id);
        return id;
    }

    /**
     * Writes the symbol of a native or kernel frame that has been written.
     *
     * @param frame the id of the frame
     * @throws CaptureWriteException if the capture cannot be written
     */
    public void symbol(int frame, String symbol) throws CaptureWriteException {
        int word = words.word(symbol);
        RecordBuffer record = out.begin(CaptureFormat.SYMBOL);
        record.number(frame);
        record.number(word);
        record.end();
    }
}
