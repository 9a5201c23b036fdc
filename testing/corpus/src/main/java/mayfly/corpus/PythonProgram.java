package mayfly.corpus;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.kit.Project;

/**
 * A process that runs {@code testing/corpus/python/mixed.py} and whose threads are blocked. {@link #close} ends the
 * process.
 */
final class PythonProgram implements AutoCloseable {
    /** Compiles the program under a relative name, so that the snapshot contains no path of this machine. */
    private static final String RUN = "exec(compile(open('mixed.py').read(), 'mixed.py', 'exec'))";

    /**
     * The stack of a thread, as the program has printed it.
     *
     * @param tid the thread
     * @param name its name in the output of the program
     * @param frames leaf first
     */
    record Stack(int tid, String name, List<String> frames) {}

    private final Process process;
    private final List<Stack> stacks = new ArrayList<>();

    private PythonProgram(Process process) {
        this.process = process;
    }

    /** Starts it and waits until its threads are blocked. */
    static PythonProgram start(String python) throws IOException {
        Path folder = Project.root().resolve("testing/corpus/python");
        ProcessBuilder command = new ProcessBuilder(python, "-I", "-S", "-B", "-X", "utf8", "-c", RUN)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        command.environment().clear();
        PythonProgram program = new PythonProgram(command.start());
        try {
            program.readStacks();
            return program;
        } catch (IOException | RuntimeException e) {
            program.close();
            throw e;
        }
    }

    private void readStacks() throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
            if (line == null) {
                throw new IOException("the Python program has ended");
            }
            if (line.startsWith("thread ")) {
                String[] thread = line.split(" ", 3);
                stacks.add(new Stack(Integer.parseInt(thread[1]), thread[2], new ArrayList<>()));
            } else {
                stacks.getLast().frames().add(line);
            }
        }
    }

    int pid() {
        return (int) process.pid();
    }

    List<Stack> stacks() {
        return List.copyOf(stacks);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
