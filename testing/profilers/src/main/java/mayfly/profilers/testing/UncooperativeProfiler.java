package mayfly.profilers.testing;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import mayfly.api.Profiler;
import mayfly.api.ProfilerException;
import mayfly.api.ProfilerInfo;
import mayfly.api.Status;

/**
 * Its data define its reaction to a detach request: {@code ignore}, {@code throw} or {@code loop}, which ends when the
 * target sets the property {@code mayfly.testing.release}; otherwise it detaches. Its commands start a thread that
 * remains, and end that thread.
 */
public final class UncooperativeProfiler implements Profiler {
    private final CountDownLatch end = new CountDownLatch(1);
    private ProfilerInfo info;
    private String manner = "";

    @Override
    public void initializeForAttach(ProfilerInfo runtime, Optional<byte[]> clientData) {
        info = runtime;
        manner = new String(clientData.orElseThrow(), StandardCharsets.UTF_8);
    }

    @Override
    public void detachRequested(ProfilerInfo runtime, String reason) {
        switch (manner) {
            case "ignore" -> {}
            case "throw" -> throw new IllegalStateException("thrown as requested");
            case "loop" -> {
                while (System.getProperty("mayfly.testing.release") == null) {
                    Thread.onSpinWait();
                }
            }
            default -> Profiler.super.detachRequested(runtime, reason);
        }
    }

    @Override
    public byte[] command(byte[] command) {
        String answer = switch (new String(command, StandardCharsets.UTF_8)) {
            case "thread" -> start(new Thread(this::await, "forgotten"));
            case "virtual" -> virtual();
            case "end" -> {
                end.countDown();
                yield "ended";
            }
            case "call" -> call();
            default -> throw new ProfilerException(Status.FAILED, "no such command");
        };
        return answer.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the result of a call into the runtime. */
    private String call() {
        try {
            return info.currentThread().toString();
        } catch (ProfilerException e) {
            return e.status().name();
        }
    }

    private static String start(Thread thread) {
        thread.setDaemon(true);
        thread.start();
        return "started";
    }

    /** Uses reflection, because Java 17 has no virtual threads. */
    private String virtual() {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) this::await);
            return "started";
        } catch (ReflectiveOperationException e) {
            return e.toString();
        }
    }

    private void await() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
