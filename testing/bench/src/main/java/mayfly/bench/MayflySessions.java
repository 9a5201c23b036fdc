package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import mayfly.discovery.Refused;
import mayfly.kit.Jvm;
import mayfly.record.RecordingOptions;
import mayfly.record.RecordingSession;
import mayfly.record.event.Collector;
import org.jspecify.annotations.Nullable;

/** Switches Mayfly on and off inside this JVM, so that its start-up is not in the windows: a new session each time. */
final class MayflySessions implements Rival.Toggle {
    private static final long PATIENCE_SECONDS = 20;
    private final Jvm jvm;
    private final RecordingOptions options;
    private final Path file;
    private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    private @Nullable RecordingSession session;
    private @Nullable Thread runner;
    private long samples;
    private long nanos;

    MayflySessions(Jvm jvm, int hz, Collector collector, Path file) {
        this(jvm, new RecordingOptions(hz, Duration.ZERO, collector, false), file);
    }

    MayflySessions(Jvm jvm, RecordingOptions options, Path file) {
        this.jvm = jvm;
        this.options = options;
        this.file = file;
    }

    @Override
    public void on() throws Rival.RivalFailed {
        try {
            Files.deleteIfExists(file);
            RecordingSession opened = RecordingSession.open(Math.toIntExact(jvm.pid()), options, file);
            session = opened;
            CountDownLatch sampling = new CountDownLatch(1);
            runner = Thread.ofPlatform().daemon().name("mayfly").start(() -> run(opened, sampling));
            if (!sampling.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new Rival.RivalFailed("Mayfly had no samples of a busy target in 20 s, or ended", cause());
            }
        } catch (Refused | IOException e) {
            throw new Rival.RivalFailed("Mayfly", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Rival.RivalFailed("Mayfly", e);
        }
    }

    private Throwable cause() {
        IOException failed = failure.get();
        return failed == null ? new IOException("no failure was reported") : failed;
    }

    private void run(RecordingSession opened, CountDownLatch sampling) {
        try {
            opened.run((taken, elapsed, lost) -> {
                if (taken > 0) {
                    sampling.countDown();
                }
            });
        } catch (IOException e) {
            failure.set(e);
        }
    }

    @Override
    public void off() throws Rival.RivalFailed {
        RecordingSession running = session;
        Thread thread = runner;
        if (running == null || thread == null) {
            return;
        }
        running.stop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        samples += running.ledger().samples();
        nanos += running.ledger().durationNanos();
        running.close();
        session = null;
        runner = null;
        if (failure.get() != null) {
            throw new Rival.RivalFailed("Mayfly", cause());
        }
    }

    @Override
    public long samples() {
        return samples;
    }

    @Override
    public long onNanos() {
        return nanos;
    }

    @Override
    public void close() {
        try {
            off();
            Files.deleteIfExists(file);
        } catch (Rival.RivalFailed | IOException e) {
            System.err.println(e.getMessage());
        }
    }
}
