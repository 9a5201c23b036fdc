package mayfly.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A small C program of src/test/c, built by gcc, that runs until closed. */
public final class CProgram implements AutoCloseable {
    private static final String FROM_A_SHELL = "exec 3<&0;" + " sh -c 'echo $$; exec \"$@\"' sh \"$@\" <&3 3<&- & wait";

    private final Process process;
    private final BufferedReader out;
    private final int pid;

    private CProgram(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.pid = (int) process.pid();
    }

    private CProgram(Process shell, BufferedReader out) throws IOException {
        this.process = shell;
        this.out = out;
        this.pid = Integer.parseInt(out.readLine());
    }

    public static Path build(String name) {
        try {
            Path dir = Files.createDirectories(Path.of("target", "c").toAbsolutePath());
            Path program = dir.resolve(name);
            Process gcc = new ProcessBuilder(
                            "gcc",
                            "-O1",
                            "-pthread",
                            "-o",
                            program.toString(),
                            Path.of("src", "test", "c", name + ".c").toString())
                    .inheritIO()
                    .start();
            assumeTrue(gcc.waitFor() == 0, "gcc cannot build " + name + ".c here");
            return program;
        } catch (IOException e) {
            assumeTrue(false, "no gcc: " + e.getMessage());
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static CProgram start(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(build(name).toString()));
        command.addAll(List.of(arguments));
        return new CProgram(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Starts a program as the child of a shell instead of this process. It exits when its standard input ends. */
    public static CProgram startFromShell(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("/bin/sh", "-c", FROM_A_SHELL, "sh", build(name).toString()));
        command.addAll(List.of(arguments));
        Process shell = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new CProgram(shell, shell.inputReader(StandardCharsets.UTF_8));
    }

    public int pid() {
        return pid;
    }

    public String line() throws IOException {
        return out.readLine();
    }

    List<String> lines() throws IOException {
        return out.lines().toList();
    }

    /** Sends a line and returns the reply, which shows that the program still runs. */
    public String ask() throws IOException {
        send();
        return out.readLine();
    }

    /** Waits until the program has handled one more signal, which shows that the pending signal was not lost. */
    public void awaitSignal() throws IOException {
        int before = handled();
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (handled() == before) {
            if (System.nanoTime() - deadline >= 0) {
                throw new AssertionError("no signal any more after " + before);
            }
        }
    }

    private int handled() throws IOException {
        return Integer.parseInt(ask().split(" ")[1]);
    }

    /** Sends a line that is not answered. */
    public void send() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        kill();
    }

    /** Kills the program and waits for its end. */
    public void kill() {
        try {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
