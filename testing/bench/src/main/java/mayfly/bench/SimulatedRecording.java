package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
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
import mayfly.profile.column.IntColumn;
import mayfly.profile.column.PairTable;

/**
 * Writes a capture as the recorder does, through its stack table and its writer, of a simulated program: its methods
 * call a few others each, and its stacks differ from earlier ones near their leaves. Equal arguments give equal
 * captures. Prints the resident memory of its process at each quarter.
 */
final class SimulatedRecording {
    /** The recorder flushes its data to the kernel at the same interval. */
    private static final long FLUSH_NANOS = 1_000_000_000L;

    private static final int MAX_DEPTH = 1000;
    /** Kinds and tiers. */
    private static final String[][] MODES = {
        {"interpreted", ""}, {"compiled", "C1"}, {"compiled", "C2"}, {"inlined", ""}
    };

    private static final RuntimeId R1 = new RuntimeId(1);

    private final Load load;
    private final SplittableRandom random = new SplittableRandom(20_26);
    private final Frame[] frames;
    /** The stacks as a tree: pairs of a caller's node and a frame. Node 0 is the root. */
    private final PairTable nodes = new PairTable();

    private final IntColumn depths = new IntColumn();
    /** The leaf of each stack so far, as a list and as a set. */
    private final IntColumn leaves = new IntColumn();

    private final BitSet isLeaf = new BitSet();
    private final Frame[] leafFirst = new Frame[MAX_DEPTH];

    /**
     * A program and the parameters of its recording.
     *
     * @param stacks distinct stacks
     * @param samples of all threads together
     * @param depth of a stack on average
     * @param methods that occur, each compiled and interpreted and at several places
     * @param threads that are always busy
     * @param rate samples per second of each thread
     */
    record Load(int stacks, long samples, int depth, int methods, int threads, int rate) {
        static Load parse(String text) {
            String[] parts = text.split(",");
            return new Load(
                    Integer.parseInt(parts[0]),
                    Long.parseLong(parts[1]),
                    Integer.parseInt(parts[2]),
                    Integer.parseInt(parts[3]),
                    Integer.parseInt(parts[4]),
                    Integer.parseInt(parts[5]));
        }

        String argument() {
            return "%d,%d,%d,%d,%d,%d".formatted(stacks, samples, depth, methods, threads, rate);
        }
    }

    private SimulatedRecording(Load load) {
        this.load = load;
        frames = new Frame[load.methods * 3];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = frame(i);
        }
        depths.add(nodes.number(-1, 0));
    }

    /** Names share classes and packages, as in a large program. */
    private static Frame frame(int index) {
        int method = index / 3;
        int type = method / 9;
        if (method % 50 == 0) {
            return new Frame.Native(
                    "libjvm.so", 0x1000L * index, "SharedRuntime::function" + method + "(JavaThread*)", true);
        }
        String[] mode = MODES[index % 4];
        return new Frame.Managed(
                R1,
                "java",
                mode[0],
                mode[1],
                "org.example.framework.area" + type % 23 + ".part" + type % 211 + ".Component" + type,
                "operation" + method,
                "(Ljava/lang/Object;I)V",
                index % 3 * 17,
                40 + index % 400);
    }

    public static void main(String... words) throws IOException {
        var simulated = new SimulatedRecording(Load.parse(words[1]));
        simulated.write(Path.of(words[0]));
    }

    private void write(Path file) throws IOException {
        long start = 1_000_000_000L;
        long step = 1_000_000_000L / load.rate / load.threads;
        var recording = new Recording(
                4711,
                "java -jar simulated.jar",
                "org.example.Simulated",
                List.of(new RecordedRuntime(R1, "HotSpot", "G1", "25.0.1")),
                List.of(new SampledEvent("cpu", Unit.NANOSECONDS, load.rate)),
                "simulated",
                "6.12",
                8,
                1_795_239_000_000_000_000L,
                start);
        var ledger = Ledger.builder("simulated", load.rate).durationNanos(load.samples * step);
        var table = new StackTable();
        try (CaptureWriter writer = CaptureWriter.create(file, recording)) {
            for (int thread = 0; thread < load.threads; thread++) {
                writer.thread(5000 + thread, 100, start, "worker-" + thread);
            }
            long flushed = start;
            for (long sample = 0; sample < load.samples; sample++) {
                long now = start + sample * step;
                int depth = stack(sample);
                int stack = table.intern(leafFirst, depth);
                writer.append(table);
                writer.sample(
                        0, now, (int) (sample % load.threads), stack, 1_000_000_000L / load.rate, WalkOutcome.COMPLETE);
                ledger.sample(WalkOutcome.COMPLETE, 1_000_000_000L / load.rate);
                if (now - flushed > FLUSH_NANOS) {
                    writer.flush();
                    flushed = now;
                }
                if ((sample + 1) % (load.samples / 4) == 0) {
                    System.out.println("resident " + status("VmRSS") + " most " + status("VmHWM"));
                }
            }
            writer.ledger(ledger.build());
        }
    }

    /** Stores the sample's frames in {@link #leafFirst} and returns their number. */
    private int stack(long sample) {
        long wanted = load.stacks * (sample + 1) / load.samples;
        int chosen;
        if (leaves.size() <= wanted && leaves.size() < load.stacks) {
            chosen = newStack();
        } else {
            // Half of the repeated stacks are of a hot part of the program, the others of the whole program.
            int among = random.nextBoolean() ? Math.min(200, leaves.size()) : leaves.size();
            chosen = leaves.get(random.nextInt(among));
        }
        int depth = 0;
        for (int node = chosen; node > 0; node = nodes.first(node)) {
            leafFirst[depth++] = frames[nodes.second(node)];
        }
        return depth;
    }

    /** Returns a stack that shares most of its callers with an earlier one, and equals none. */
    private int newStack() {
        int node = changed(leaves.size() == 0 ? 0 : leaves.get(random.nextInt(leaves.size())));
        while (isLeaf.get(node)) {
            node = changed(node);
        }
        isLeaf.set(node);
        leaves.add(node);
        return node;
    }

    private int changed(int from) {
        int before = depths.get(from);
        int drift = (load.depth - before) / 8 + random.nextInt(-5, 6);
        int depth = Math.clamp(before + drift, 4, MAX_DEPTH);
        int left = 1 + (int) (-5 * Math.log(1 - random.nextDouble()));
        int keep = Math.max(0, Math.min(before, depth) - left);
        int node = from;
        for (int at = before; at > keep; at--) {
            node = nodes.first(node);
        }
        for (int at = keep; at < depth; at++) {
            int branch = (int) (Math.pow(random.nextDouble(), 3) * 12);
            int frame = Math.floorMod((nodes.second(node) * 31 + branch * 7 + 1) * 0x9E3779B1, frames.length);
            node = nodes.number(node, frame);
            if (node == depths.size()) {
                depths.add(at + 1);
            }
        }
        return node;
    }

    /** Returns a figure of /proc/self/status in kilobytes, see proc_pid_status(5). */
    private static long status(String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }
}
