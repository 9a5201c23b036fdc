package mayfly.targets;

import com.sun.management.ThreadMXBean;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * {@code MeasuredProgram CLASS [ARGUMENT...]}: runs another target, which takes no line, and measures it by the
 * management interface of the JVM. {@code allocated} answers with the bytes that the live threads have allocated, and
 * {@code blocked} with the time that they have waited for monitors, ms.
 */
public final class MeasuredProgram {
    private static final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private MeasuredProgram() {}

    /** Standard input that never has a line. */
    private static final class Silence extends InputStream {
        @Override
        public int read() {
            while (true) {
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return -1;
                }
            }
        }
    }

    /** Standard output that waits for the first word of a target, and drops everything. */
    private static final class Ready extends OutputStream {
        private final CountDownLatch written = new CountDownLatch(1);

        @Override
        public void write(int letter) {
            written.countDown();
        }
    }

    public static void main(String[] args) throws ReflectiveOperationException, InterruptedException {
        InputStream in = System.in;
        PrintStream out = System.out;
        Ready ready = new Ready();
        System.setIn(new Silence());
        System.setOut(new PrintStream(ready, true, StandardCharsets.UTF_8));
        threads.setThreadContentionMonitoringEnabled(true);
        Method program = Class.forName("mayfly.targets." + args[0]).getMethod("main", String[].class);
        String[] rest = Arrays.copyOfRange(args, 1, args.length);
        LineProtocol.start("program", () -> {
            try {
                program.invoke(null, (Object) rest);
            } catch (ReflectiveOperationException e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        ready.written.await();
        LineProtocol.untilExit(in, out, args[0], MeasuredProgram::answer);
    }

    private static String answer(String line) {
        switch (line) {
            case "allocated":
                return Long.toString(Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                        .filter(bytes -> bytes > 0)
                        .sum());
            case "blocked":
                return Long.toString(blocked());
            default:
                throw new IllegalArgumentException(line);
        }
    }

    private static long blocked() {
        long millis = 0;
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            millis += each == null ? 0 : each.getBlockedTime();
        }
        return millis;
    }
}
