package mayfly.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import mayfly.record.event.RecordingEvent;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;

/** A process that takes snapshots of another process continuously until it is killed. */
final class Snapshots implements AutoCloseable {
    private static final int HZ = 99;
    private static final Duration UNTIL_KILLED = Duration.ofHours(1);

    /** The kind of snapshot. */
    enum Kind {
        /** {@code stack}: each thread is stopped separately. */
        EACH,
        /** {@code stack --together}. */
        TOGETHER,
        /** {@code record -e wall}, which is the same as {@code stack --every}. */
        WALL
    }

    private final Process process;

    private Snapshots(Process process) {
        this.process = process;
    }

    /** Starts a process and waits until it takes snapshots. */
    static Snapshots of(long pid, Kind kind, Path folder) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Snapshots.class.getName(),
                        Long.toString(pid),
                        kind.name(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (!"begins".equals(said)) {
            process.destroyForcibly();
            throw new IOException("snapshots " + kind + " did not begin: " + said);
        }
        return new Snapshots(process);
    }

    static void main(String[] arguments) throws Exception {
        int pid = Integer.parseInt(arguments[0]);
        Kind kind = Kind.valueOf(arguments[1]);
        switch (kind) {
            case EACH, TOGETHER -> dumps(pid, new ThreadDump.Options("", kind == Kind.TOGETHER, false, true));
            case WALL -> record(pid, Path.of(arguments[2], "wall.mayfly"));
        }
    }

    private static void dumps(int pid, ThreadDump.Options options) throws Exception {
        try (ThreadDumper dumper = ThreadDumper.open(pid)) {
            System.out.println("begins");
            while (true) {
                dumper.dump(options, (done, total) -> {});
            }
        }
    }

    private static void record(int pid, Path file) throws Exception {
        try (RecordingSession session = RecordingSession.open(
                pid, new RecordingOptions(RecordingEvent.WALL, HZ, UNTIL_KILLED, Collector.AUTO, false), file)) {
            System.out.println("begins");
            session.run((samples, elapsed, lost) -> {});
        }
    }

    /** Lets the process run for this time. */
    void goOn(Duration duration) throws InterruptedException {
        if (process.waitFor(duration)) {
            throw new AssertionError("the snapshot process ended by itself with " + process.exitValue());
        }
    }

    /** Stops the process together with every thread that it holds. */
    void freeze() throws Exception {
        signal("-STOP");
    }

    /** Resumes the process. */
    void thaw() throws Exception {
        signal("-CONT");
    }

    private void signal(String which) throws Exception {
        int status = new ProcessBuilder(List.of("kill", which, Long.toString(process.pid())))
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill " + which + " " + process.pid() + " ended with " + status);
        }
    }

    /** Kills the process as kill -9 does, and waits until it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
