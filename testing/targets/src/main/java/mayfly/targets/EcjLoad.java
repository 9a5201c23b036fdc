package mayfly.targets;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/**
 * {@code EcjLoad SOURCE_TREE [once]}: ecj compiles a source tree in this process repeatedly. It is ready when the first
 * compilation begins. It answers any line with {@code done=N failed=N}.
 */
public final class EcjLoad {
    private static final AtomicLong done = new AtomicLong();
    private static final AtomicLong failed = new AtomicLong();

    private EcjLoad() {}

    public static void main(String[] args) throws InterruptedException {
        Path tree = Path.of(args[0]);
        if (!Files.isDirectory(tree)) {
            System.err.println("no such source tree: " + tree);
            System.exit(2);
        }
        boolean once = args.length > 1 && args[1].equals("once");
        // The queue between ecj's two threads loses wake-ups: both threads then wait for time-outs of 250 ms, at times
        // for seconds.
        System.setProperty("jdt.compiler.useSingleThread", "true");
        Thread compiler = LineProtocol.start("ecj", () -> {
            do {
                compile(tree);
            } while (!once);
        });
        if (once) {
            compiler.join();
        }
        LineProtocol.untilExit("ecj", line -> "done=" + done + " failed=" + failed);
    }

    private static void compile(Path tree) {
        String[] arguments = {"-proc:none", "-nowarn", "-d", "none", "-8", "-encoding", "ISO-8859-1", tree.toString()};
        StringBuilder errors = new StringBuilder();
        PrintWriter out =
                new PrintWriter(OutputStream.nullOutputStream(), false, java.nio.charset.StandardCharsets.UTF_8);
        boolean compiled = BatchCompiler.compile(arguments, out, new PrintWriter(new Head(errors), true), null);
        done.incrementAndGet();
        if (!compiled) {
            failed.incrementAndGet();
            System.err.println(errors);
        }
    }

    /** Keeps the first 2,000 characters of the compiler's messages. */
    private static final class Head extends java.io.Writer {
        private final StringBuilder kept;

        Head(StringBuilder kept) {
            this.kept = kept;
        }

        @Override
        public void write(char[] text, int from, int length) throws IOException {
            kept.append(text, from, Math.min(length, Math.max(0, 2_000 - kept.length())));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
