package mayfly.stack;

import java.util.ArrayList;
import java.util.List;
import mayfly.process.Registers;
import mayfly.profile.Frame;

/** The reports of a walk, as text. It ends the walk after a number of them. */
final class Seen implements FrameCallback<String> {
    final List<String> reports = new ArrayList<>();
    final List<Registers> registers = new ArrayList<>();
    private final int limit;

    Seen() {
        this(Integer.MAX_VALUE);
    }

    /** @param limit the number of the report that ends the walk */
    Seen(int limit) {
        this.limit = limit;
    }

    @Override
    public Action frame(FrameReport report, String data) {
        Frame frame = report.frame();
        reports.add(frame == null ? "hole " + report.nativeFrames() : frame.label());
        registers.add(report.registers());
        return reports.size() == limit ? Action.ABORT : Action.CONTINUE;
    }
}
