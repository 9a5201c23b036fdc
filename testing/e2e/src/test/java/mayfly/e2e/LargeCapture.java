package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import mayfly.profile.Frame;
import mayfly.profile.Ledger;
import mayfly.profile.RecordedRuntime;
import mayfly.profile.Recording;
import mayfly.profile.RuntimeId;
import mayfly.profile.SampledEvent;
import mayfly.profile.StackTable;
import mayfly.profile.Unit;
import mayfly.profile.WalkOutcome;
import mayfly.profile.capture.CaptureWriter;

/** A small capture that is large in other formats: many leaves below one deep stack. */
final class LargeCapture {
    private static final int DEPTH = 1_000;
    private static final int LEAVES = 5_000;
    private static final int METHODS = 2_000;
    private static final int DISTINCT = 60_000;
    private static final int DISTINCT_DEPTH = 60;
    /** One line for each leaf, with a class name of 20 characters and a method for each frame. */
    static final long MIN_COLLAPSED_BYTES = 20L * DEPTH * LEAVES;

    private LargeCapture() {}

    static Path write(Path file) throws IOException {
        try (CaptureWriter writer = CaptureWriter.create(file, recording())) {
            var table = new StackTable();
            int base = StackTable.NO_FRAMES;
            for (int i = 0; i < DEPTH; i++) {
                base = table.stack(base, table.frame(frame("run")));
            }
            int thread = writer.thread(43, 1234, 5_000_000_100L, "main");
            Ledger.Builder ledger = Ledger.builder("made up", 99);
            for (int i = 0; i < LEAVES; i++) {
                sample(writer, table, table.stack(base, table.frame(frame("leaf" + i))), thread, i, ledger);
            }
            writer.ledger(ledger.build());
        }
        return file;
    }

    /** Writes a capture whose page needs more than the launcher's heap: its stacks share only a few frames. */
    static Path writeDistinct(Path file) throws IOException {
        try (CaptureWriter writer = CaptureWriter.create(file, recording())) {
            var table = new StackTable();
            int[] frames = new int[METHODS];
            for (int i = 0; i < METHODS; i++) {
                frames[i] = table.frame(frame("method" + i));
            }
            int thread = writer.thread(43, 1234, 5_000_000_100L, "main");
            Ledger.Builder ledger = Ledger.builder("made up", 99);
            var random = new Random(1);
            for (int i = 0; i < DISTINCT; i++) {
                int stack = StackTable.NO_FRAMES;
                for (int depth = 0; depth < DISTINCT_DEPTH; depth++) {
                    stack = table.stack(stack, frames[random.nextInt(METHODS)]);
                }
                sample(writer, table, stack, thread, i, ledger);
            }
            writer.ledger(ledger.build());
        }
        return file;
    }

    private static Recording recording() {
        return new Recording(
                42,
                "java x.Main",
                "x.Main",
                List.of(new RecordedRuntime(new RuntimeId(1), "HotSpot", "", "25")),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, 99)),
                "made up",
                "6.12",
                4,
                1_700_000_000_000_000_000L,
                5_000_000_000L);
    }

    private static void sample(
            CaptureWriter writer, StackTable table, int stack, int thread, int number, Ledger.Builder ledger)
            throws IOException {
        writer.append(table);
        writer.sample(0, 5_010_000_000L + number, thread, stack, 10_101_010, WalkOutcome.COMPLETE);
        ledger.sample(WalkOutcome.COMPLETE, 10_101_010);
    }

    private static Frame frame(String method) {
        return new Frame.Managed(
                new RuntimeId(1), "java", "compiled", "C2", "a.package.of.a.Class", method, "()V", 0, 1);
    }
}
