package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import mayfly.profile.CaptureWriter;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.StackTable;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;

/** A small capture that is large in other formats: many leaves below one deep stack. */
final class LargeCapture {
    private static final int DEPTH = 1_000;
    private static final int LEAVES = 5_000;
    /** A line for each leaf, with a class name of 20 characters and a method for each frame. */
    static final long LEAST_COLLAPSED_BYTES = 20L * DEPTH * LEAVES;

    private LargeCapture() {
    }

    static Path write(Path file) throws IOException {
        var recording = new Recording(42, "java x.Main", "x.Main", "25", List.of("r1 HotSpot 25"), "cpu",
                Unit.NANOSECONDS, 99, "made up", "6.12", 4, 1_700_000_000_000_000_000L, 5_000_000_000L);
        try (CaptureWriter writer = CaptureWriter.create(file, recording)) {
            var table = new StackTable();
            int base = StackTable.NO_FRAMES;
            for (int i = 0; i < DEPTH; i++) {
                base = table.stack(base, table.frame(frame("run")));
            }
            int thread = writer.thread(43, 1234, 5_000_000_100L, "main");
            Ledger.Builder ledger = Ledger.builder("made up", 99);
            for (int i = 0; i < LEAVES; i++) {
                int leaf = table.stack(base, table.frame(frame("leaf" + i)));
                writer.append(table);
                writer.sample(5_010_000_000L + i, thread, leaf, 10_101_010, WalkOutcome.COMPLETE);
                ledger.sample(WalkOutcome.COMPLETE, 10_101_010);
            }
            writer.ledger(ledger.build());
        }
        return file;
    }

    private static Frame frame(String method) {
        return new Frame.Java(new RuntimeId(1), Frame.Tier.C2, "a.package.of.a.Class", method, "()V", 0, 1);
    }
}
