package mayfly.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import mayfly.kit.Command;
import mayfly.kit.Project;

/** The time from the archive of this checkout to a flame graph, in a new folder each time. */
final class ArchiveTimes {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int RUNS = 5;

    private final Path archive;
    private final Path folder;

    private ArchiveTimes(Path archive, Path folder) {
        this.archive = archive;
        this.folder = folder;
    }

    /** Makes the archive, then measures. */
    static void measure(Page page, Path folder) throws IOException {
        run(Project.launcher().toString(), "dist", "--only", "tar");
        Path archive;
        try (Stream<Path> files = Files.list(Project.root().resolve("cli/target/dist"))) {
            archive = files.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("mayfly dist has made no archive"));
        }
        new ArchiveTimes(archive, folder).measure(page);
    }

    private void measure(Page page) throws IOException {
        double[] unpacked = new double[RUNS];
        double[] shown = new double[RUNS];
        for (int i = 0; i < RUNS; i++) {
            Path home = Files.createDirectory(folder.resolve("carried"));
            long began = System.nanoTime();
            run("tar", "-xzf", archive.toString(), "-C", home.toString(), "--strip-components=1");
            unpacked[i] = seconds(began);
            run(
                    home.resolve("mayfly").toString(),
                    "demo",
                    "-o",
                    home.resolve("demo.html").toString());
            shown[i] = seconds(began);
            run("rm", "-r", home.toString());
        }
        long megabytes = Files.size(archive) >> 20;
        page.row("unpacked (" + megabytes + " MiB)", RUNS, seconds(unpacked, 0.5), seconds(unpacked, 1));
        page.row("a flame graph of `demo`, which samples for 5 s", RUNS, seconds(shown, 0.5), seconds(shown, 1));
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    private static String seconds(double[] all, double quantile) {
        return "%.1f".formatted(Statistics.quantile(all, quantile));
    }

    private static void run(String... command) throws IOException {
        Command done = Command.run(LIMIT, command);
        if (done.exitCode() != 0) {
            throw new IOException(List.of(command) + ": exit status " + done.exitCode() + ": " + done.stderr());
        }
    }
}
