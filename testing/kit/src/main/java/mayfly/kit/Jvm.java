package mayfly.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A target JVM started by a test. It is ready when it has printed READY, it answers lines, and closing it kills it.
 *
 * <pre>{@code
 * try (Jvm jvm = Jvm.run("Ticker").on(jdk).with("-XX:+UseZGC").start()) {
 *     String answer = jvm.ask("count");
 * }
 * }</pre>
 */
public final class Jvm implements AutoCloseable {
    private static final Duration ANSWER = Duration.ofSeconds(60);
    /**
     * Runs a target at a lower priority than the test and Mayfly. Many targets use all the CPU time that they can get,
     * and the others have little to do before the test goes on. See nice(1). A measurement runs its targets at the
     * usual priority, and sets the property.
     */
    private static final List<String> BACKGROUND =
            Boolean.getBoolean("mayfly.targetsHaveUsualPriority") ? List.of() : List.of("nice", "-n", "10");

    /** The parameters of a start. */
    public static final class Plan {
        private final String mainClass;
        private Jdk jdk = Jdk.current();
        private final List<String> options = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final List<String> prefix = new ArrayList<>();
        private final Map<String, String> environment = new TreeMap<>();
        private @Nullable String classPath;
        private @Nullable Path folder;
        private Duration patience = Duration.ofSeconds(120);

        private Plan(String mainClass) {
            this.mainClass = mainClass;
        }

        /** Sets the JDK to run on; the default is the JDK that runs the test. */
        public Plan on(Jdk chosen) {
            jdk = chosen;
            return this;
        }

        /** Adds options of the JVM. */
        public Plan with(String... more) {
            options.addAll(List.of(more));
            return this;
        }

        /** Adds arguments of the program. */
        public Plan args(String... more) {
            arguments.addAll(List.of(more));
            return this;
        }

        /** Sets a class path other than that of the targets. */
        public Plan classPath(String path) {
            classPath = path;
            return this;
        }

        /**
         * Sets a command that runs the JVM, such as {@code setpriv --reuid 1000}. It must exec the JVM, so that the pid
         * does not change.
         */
        public Plan under(String... command) {
            prefix.addAll(List.of(command));
            return this;
        }

        /** Adds an environment variable. */
        public Plan environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** Sets the working directory. */
        public Plan in(Path workingDirectory) {
            folder = workingDirectory;
            return this;
        }

        /**
         * Sets the limit for the target to become ready; the default, two minutes, allows for -Xcomp on a busy machine.
         */
        public Plan patience(Duration limit) {
            patience = limit;
            return this;
        }

        /** Returns the command line. */
        public List<String> command() {
            List<String> command = new ArrayList<>(prefix);
            command.add(jdk.tool("java").toString());
            command.addAll(options);
            command.add("-cp");
            command.add(classPath == null ? Project.targetClassPath() : classPath);
            command.add(mainClass.indexOf('.') < 0 ? "mayfly.targets." + mainClass : mainClass);
            command.addAll(arguments);
            return command;
        }

        /** Starts the target and waits until it is ready. */
        public Jvm start() {
            Jvm jvm = new Jvm(this);
            try {
                jvm.awaitReady(patience);
                jvm.removeSocketOfEarlierProcess();
                return jvm;
            } catch (RuntimeException | Error e) {
                jvm.close();
                throw e;
            }
        }

        /** Starts the target without waiting until it is ready. */
        public Jvm startUnready() {
            return new Jvm(this);
        }
    }

    private final List<String> command;
    private final Jdk jdk;
    private final Process process;
    private final Output out;
    private final Output err;
    private final Writer in;
    private String ready = "";

    private Jvm(Plan plan) {
        command = List.copyOf(plan.command());
        jdk = plan.jdk;
        ProcessBuilder builder = new ProcessBuilder(
                Stream.of(BACKGROUND, command).flatMap(List::stream).toList());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(plan.environment);
        if (plan.folder != null) {
            builder.directory(plan.folder.toFile());
        }
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out = new Output("stdout of " + process.pid(), process.getInputStream(), Output.SOME);
        err = new Output("stderr of " + process.pid(), process.getErrorStream(), Output.SOME);
        in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /**
     * Returns a plan for a program: a class of {@code mayfly.targets} by its simple name, or any class by its full
     * name.
     */
    public static Plan run(String mainClass) {
        return new Plan(mainClass);
    }

    /** Returns a plan for a class on the test's own class path. */
    public static Plan run(Class<?> mainClass) {
        return new Plan(mainClass.getName());
    }

    /** Waits for the line that starts with READY. */
    public void awaitReady(Duration limit) {
        long deadline = System.nanoTime() + Patience.of(limit).toNanos();
        while (true) {
            String line = line(deadline, "READY");
            if (line.startsWith("READY")) {
                ready = line;
                return;
            }
        }
    }

    /** Sends a line and returns the line that answers it. */
    public String ask(String line) {
        send(line);
        return answer(line);
    }

    /** Returns the line that answers a {@linkplain #send sent} one. */
    public String answer(String sent) {
        return line(System.nanoTime() + Patience.of(ANSWER).toNanos(), "an answer to " + sent);
    }

    /** Sends a line. */
    public void send(String line) {
        try {
            in.write(line);
            in.write('\n');
            in.flush();
        } catch (IOException e) {
            throw new AssertionError("cannot send '" + line + "': " + e.getMessage() + "\n" + evidence(), e);
        }
    }

    private String line(long deadline, String wanted) {
        try {
            String line = out.next(deadline);
            if (line == null) {
                throw new AssertionError("no " + wanted + " from the target\n" + evidence());
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + wanted, e);
        }
    }

    /** Returns the line that starts with READY. */
    public String ready() {
        return ready;
    }

    public long pid() {
        return process.pid();
    }

    public Jdk jdk() {
        return jdk;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the standard output so far. */
    public String stdout() {
        return out.text();
    }

    /** Returns the standard error so far. */
    public String stderr() {
        return err.text();
    }

    /** Requests the end of the target, waits for it, and returns its exit status. */
    public int exit() {
        send("exit");
        try {
            if (!process.waitFor(Patience.of(ANSWER))) {
                throw new AssertionError("the target did not end\n" + evidence());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for the end", e);
        }
    }

    /**
     * Returns the details for the message of a failed test: the command line, the state of the target, and its output.
     */
    public String evidence() {
        return "target: " + Shell.line(command) + "\nstate: "
                + (process.isAlive() ? "alive, pid " + process.pid() : "ended with " + process.exitValue())
                + "\nstdout:\n" + out.text() + "\nstderr:\n" + err.text();
    }

    /**
     * Removes the attach socket that a killed JVM with the same pid has left, if it belongs to another user: it would
     * prevent this JVM from creating its own.
     */
    private void removeSocketOfEarlierProcess() {
        try {
            if (process.isAlive()
                    && Files.exists(socket(), LinkOption.NOFOLLOW_LINKS)
                    && !Files.getOwner(socket(), LinkOption.NOFOLLOW_LINKS)
                            .equals(Files.getOwner(Path.of("/proc", Long.toString(pid()))))) {
                Files.deleteIfExists(socket());
            }
        } catch (NoSuchFileException e) {
            return; // it has ended
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path socket() {
        return Path.of("/tmp", ".java_pid" + pid());
    }

    /** Kills the JVM and the processes that it started, waits for their end, and removes the socket that it leaves. */
    @Override
    public void close() {
        List<ProcessHandle> children = process.descendants().toList();
        // If Mayfly has traced the child, Process may mistake a stop of the child for its end, so the handle is used.
        process.toHandle().destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        process.onExit().join();
        try {
            Files.deleteIfExists(socket());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
