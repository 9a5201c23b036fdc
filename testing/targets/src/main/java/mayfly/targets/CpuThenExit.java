package mayfly.targets;

import java.io.IOException;

/**
 * {@code CpuThenExit HOW MILLIS [line]}: uses MILLIS milliseconds of CPU time and then ends in one of these ways:
 * {@code return} from main, {@code exit} with status 7, {@code throw} an exception, or send itself the signal
 * {@code TERM} or {@code KILL}. With {@code line} it first prints READY, and ends when it has received a line.
 */
public final class CpuThenExit {
    private CpuThenExit() {}

    public static void main(String[] args) throws Exception {
        if (args.length > 2) {
            System.out.println("READY ends " + ProcessHandle.current().pid());
        }
        long until = Work.cpuNanos(Thread.currentThread()) + Long.parseLong(args[1]) * 1_000_000;
        long x = 1;
        while (Work.cpuNanos(Thread.currentThread()) < until || args.length > 2 && System.in.available() == 0) {
            x = Work.spin(100_000, x);
            Work.sink = x;
        }
        switch (args[0]) {
            case "return":
                return;
            case "exit":
                System.exit(7);
                return;
            case "throw":
                throw new IllegalStateException("ends");
            default:
                kill(args[0]);
        }
    }

    private static void kill(String signal) throws IOException {
        new ProcessBuilder(
                        "/bin/kill",
                        "-" + signal,
                        Long.toString(ProcessHandle.current().pid()))
                .inheritIO()
                .start();
        while (true) {
            Work.sink = Work.spin(100_000, Work.sink);
        }
    }
}
