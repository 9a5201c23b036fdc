package mayfly.corpus;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import mayfly.process.replay.ProcessSnapshot;
import mayfly.profile.Frame;
import mayfly.profile.WalkOutcome;

/**
 * The result of a walk.
 *
 * @param outcome its outcome
 * @param frames leaf first, native ones without symbols
 */
record Walked(WalkOutcome outcome, List<Frame> frames) {
    Walked {
        frames = List.copyOf(frames);
    }

    /**
     * Returns one line for the outcome and one for each frame. The names of native functions are from the snapshot.
     */
    List<String> lines(ProcessSnapshot names) {
        List<String> lines = new ArrayList<>();
        lines.add("outcome " + outcome.id());
        for (Frame frame : frames) {
            lines.add(line(frame, names));
        }
        return lines;
    }

    private static String line(Frame frame, ProcessSnapshot names) {
        return switch (frame) {
            case Frame.Managed managed ->
                managed.mode().toLowerCase(Locale.ROOT) + " " + managed.label()
                        + managed.descriptor() + " bci " + managed.position() + " line "
                        + managed.line();
            case Frame.Stub stub -> "stub " + stub.name();
            case Frame.Native code ->
                ((code.vm() ? "vm " : "native ") + code.library() + "+0x" + Long.toHexString(code.address()) + " "
                                + names.nameOf(code.library(), code.address()))
                        .strip();
            case Frame.Kernel kernel -> "kernel " + kernel.symbol();
            case Frame.Omitted omitted -> omitted.label();
        };
    }
}
