package mayfly.corpus;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import mayfly.arch.Architecture;
import mayfly.arch.x86.X86_64;
import mayfly.process.replay.BadSnapshot;
import mayfly.process.replay.RecordedProcess;

/**
 * One recorded walk in a folder of walks of the same process: {@code base.rec}, the part common to all of them,
 * {@code NAME.rec}, the part of this walk, and {@code NAME.txt}, its expected frames. A case can also have
 * {@code NAME.oracle}, the stack that the recorded program has printed.
 *
 * @param folder the folder
 * @param name the case's name
 */
record Case(Path folder, String name) {
    /** The CPU of all recorded processes. */
    private static final Architecture CPU = X86_64.ARCHITECTURE;

    static final String BASE = "base.rec";
    private static final String RECORDED = ".rec";

    /** Returns every case below a folder, ordered by path. */
    static List<Case> in(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            List<Case> cases = new ArrayList<>();
            files.filter(file -> file.toString().endsWith(RECORDED) && !file.endsWith(BASE))
                    .sorted()
                    .forEach(file -> {
                        String name = file.getFileName().toString();
                        cases.add(new Case(
                                file.resolveSibling(""), name.substring(0, name.length() - RECORDED.length())));
                    });
            return cases;
        }
    }

    RecordedProcess open() throws IOException, BadSnapshot {
        return RecordedProcess.read(CPU, Files.readAllBytes(folder.resolve(BASE)), bytes());
    }

    byte[] bytes() throws IOException {
        return Files.readAllBytes(folder.resolve(name + RECORDED));
    }

    List<String> expected() throws IOException {
        return Files.readAllLines(text());
    }

    void expect(List<String> lines) throws IOException {
        Files.write(text(), lines, StandardCharsets.UTF_8);
    }

    /** Returns the stack that the program has printed; empty if it printed none. */
    List<String> oracle() throws IOException {
        Path file = folder.resolve(name + ".oracle");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    void oracle(List<String> lines) throws IOException {
        Files.write(folder.resolve(name + ".oracle"), lines, StandardCharsets.UTF_8);
    }

    void write(byte[] snapshot) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve(name + RECORDED), snapshot);
    }

    private Path text() {
        return folder.resolve(name + ".txt");
    }

    @Override
    public String toString() {
        return folder.getFileName() + "/" + name;
    }
}
