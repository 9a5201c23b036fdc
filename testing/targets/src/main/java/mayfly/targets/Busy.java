package mayfly.targets;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code Busy N}: N CPU-bound threads named busy-0 and up. It answers any line with the sum of their CPU time in ns.
 */
public final class Busy {
    private Busy() {}

    public static void main(String[] args) {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            threads.add(LineProtocol.start("busy-" + i, Busy::loop));
        }
        LineProtocol.untilExit(
                "busy " + count,
                line -> Long.toString(threads.stream().mapToLong(Work::cpuNanos).sum()));
    }

    private static void loop() {
        long x = 1;
        while (true) {
            x = Work.spin(100_000, x);
            Work.sink = x;
        }
    }
}
