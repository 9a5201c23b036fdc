package mayfly.cli.file;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import mayfly.cli.launcher.Installation;
import mayfly.report.Format;
import mayfly.report.tree.ConversionOptions;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that converts a large capture: the same Mayfly on the same JDK with a larger heap. It reads the capture from
 * standard input and writes to standard output, so it needs no file names; this process opens all files.
 */
final class RenderingJvm {
    /** Memory of such a JVM besides its heap, in bytes: code, classes, stacks, and tables of the garbage collector. */
    static final long BESIDES_HEAP = 96 << 20;

    private static final List<String> OTHERS_OPTIONS =
            List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");
    private static final int MAX_SAID = 2000;
    private static final int KILLED = 128;
    /** Upper bound on the wait for a killed JVM, which ends at once unless it waits for a device. */
    private static final long MAX_END_SECONDS = 5;

    private final long heap;
    private final List<String> arguments;
    private @Nullable Process process;
    private boolean stopped;

    /**
     * Creates the description of a JVM.
     *
     * @param heap in bytes
     * @param reach the value in the capture's summary
     * @param event the name of the event, or {@code CaptureReader.FIRST_EVENT}
     */
    RenderingJvm(long heap, Format format, ConversionOptions options, int reach, String event) {
        this.heap = heap;
        this.arguments = RenderingMain.arguments(format, options, reach, event);
    }

    /**
     * Runs the conversion.
     *
     * @param capture a path by which the capture can be opened
     * @throws RenderingFailed if the JVM fails or is stopped
     * @throws IOException if the output cannot be written
     */
    void run(Path capture, OutputStream out) throws IOException {
        Process jvm = start(capture);
        try {
            var said = new StringBuilder();
            Thread listener = Thread.ofPlatform().daemon().start(() -> listen(jvm, said));
            try (InputStream contents = jvm.getInputStream()) {
                contents.transferTo(out);
            }
            int status = jvm.waitFor();
            listener.join();
            if (status != 0) {
                throw new RenderingFailed(reason(status, said.toString().strip()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RenderingFailed("the conversion was interrupted", e);
        } finally {
            jvm.destroyForcibly();
            jvm.onExit()
                    .completeOnTimeout(jvm, MAX_END_SECONDS, TimeUnit.SECONDS)
                    .join();
        }
    }

    private synchronized Process start(Path capture) throws IOException {
        if (stopped) {
            throw new RenderingFailed("the conversion was cancelled");
        }
        var builder = new ProcessBuilder(command()).redirectInput(capture.toFile());
        OTHERS_OPTIONS.forEach(builder.environment()::remove);
        try {
            Process started = builder.start();
            process = started;
            return started;
        } catch (IOException e) {
            throw new RenderingFailed("no child JVM could be started: " + e.getMessage(), e);
        }
    }

    private List<String> command() {
        var command = new ArrayList<>(Installation.current().java());
        String modules = System.getProperty("jdk.module.path");
        if (modules != null) {
            Path cache = Path.of(modules).resolve("mayfly.aot");
            if (Files.exists(cache)) {
                command.add("-XX:AOTCache=" + cache);
            }
        }
        // The columns of the profile fill the old generation. A heap that grows in small steps is not larger than
        // needed at the end. Messages of the JVM itself must not get into the output.
        command.addAll(List.of(
                "-Xlog:disable",
                "-XX:+DisplayVMOutputToStderr",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xms16m",
                "-Xmn16m",
                "-Xmx" + (heap >> 20) + "m",
                "-XX:MinHeapFreeRatio=10",
                "-XX:MaxHeapFreeRatio=30"));
        if (modules != null) {
            command.addAll(
                    List.of("--module-path", modules, "--module", "mayfly.cli/" + RenderingMain.class.getName()));
        } else {
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), RenderingMain.class.getName()));
        }
        command.addAll(arguments);
        return command;
    }

    private static void listen(Process jvm, StringBuilder said) {
        try (Reader err = new InputStreamReader(jvm.getErrorStream(), StandardCharsets.UTF_8)) {
            char[] chunk = new char[1 << 10];
            for (int count = err.read(chunk); count >= 0; count = err.read(chunk)) {
                if (said.length() < MAX_SAID) {
                    said.append(chunk, 0, count);
                }
            }
        } catch (IOException e) {
            said.append(' ').append(e.getMessage());
        }
    }

    private String reason(int status, String said) {
        if (status > KILLED) {
            return "the converting process was ended by signal " + (status - KILLED);
        }
        return said.isEmpty() ? "the converting process ended with status " + status : said;
    }

    /** Ends the JVM, or prevents its start. May be called from any thread. */
    synchronized void stop() {
        stopped = true;
        if (process != null) {
            process.toHandle().destroyForcibly(); // Process.destroy would close this end of its pipe
        }
    }
}
