package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import mayfly.discovery.ProcessList;
import mayfly.discovery.RuntimeRow;
import mayfly.kit.Command;
import mayfly.kit.Jdk;
import mayfly.kit.Jvm;
import mayfly.kit.LaunchedMayfly;
import mayfly.kit.ThreadPrint;
import mayfly.kit.ThreadPrint.PrintedThread;
import mayfly.stack.DumpedThread;
import mayfly.stack.ThreadDump;
import mayfly.stack.ThreadDumper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names of threads and programs. */
class NamesTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    static List<Jdk> jdks(TestInfo test) {
        return Scale.jdks(test);
    }

    /** Thread.print has the full names of the VM's own threads. */
    @ParameterizedTest
    @MethodSource("jdks")
    void threadNamesOfADumpEqualThreadPrint(Jdk jdk) throws Exception {
        try (Jvm jvm = Jvm.run("Blocked").on(jdk).with("-XX:+UseG1GC").start()) {
            List<PrintedThread> printed = ThreadPrint.of(jvm).threads();
            Map<Integer, String> walked;
            try (ThreadDumper dumper = ThreadDumper.open((int) jvm.pid())) {
                walked = dumper.dump(ThreadDump.Options.ALL, (done, total) -> {}).threads().stream()
                        .collect(Collectors.toMap(DumpedThread::tid, DumpedThread::name));
            }
            assertThat(printed).extracting(PrintedThread::name).contains("VM Periodic Task Thread", "main");
            for (PrintedThread thread : printed) {
                assertThat(walked.getOrDefault(thread.tid(), thread.name())).isEqualTo(thread.name());
            }
        }
    }

    /** The kernel's command line has only the name of the file, and an argument that looks like a main class. */
    @Test
    void processIsFoundByAMainClassFromAnArgumentFile() throws Exception {
        List<String> command = Jvm.run("Idle").command();
        Path arguments = Files.write(folder.resolve("arguments"), command.subList(1, command.size()));
        Process jvm = new ProcessBuilder(command.getFirst(), "@" + arguments, "alpha").start();
        try {
            assertThat(jvm.inputReader().readLine()).startsWith("READY");
            assertThat(ProcessList.match("Idle", problem -> {}))
                    .extracting(RuntimeRow::pid)
                    .contains((int) jvm.pid());
            assertThat(ProcessList.match("alpha", problem -> {}))
                    .extracting(RuntimeRow::pid)
                    .doesNotContain((int) jvm.pid());
        } finally {
            jvm.destroyForcibly().waitFor();
        }
    }

    /** The started program is a shell, which executes the JVM. */
    @ParameterizedTest
    @MethodSource("jdks")
    void programStartedByAScriptHasItsMainClassAndThreads(Jdk jdk) throws Exception {
        Path script = folder.resolve("s.sh");
        Path out = folder.resolve("out.collapsed");
        String java = Jvm.run("DeepWork").on(jdk).command().stream()
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        // The program ends with its standard input.
        Files.writeString(
                script,
                "mkfifo '" + folder + "/in'\nsleep 6 >'" + folder + "/in' &\nexec " + java + " \"$@\" <'" + folder
                        + "/in'\n");
        Command done = LaunchedMayfly.run(
                LIMIT,
                folder,
                "run",
                "--json",
                "-t",
                "-o",
                out.toString(),
                "--",
                "sh",
                script.toString(),
                "10",
                "alpha",
                "beta");
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        assertThat(done.stdout()).contains("\"mainClass\":\"mayfly.targets.DeepWork\"");
        List<String> threads = Files.readAllLines(out).stream()
                .map(line -> line.split(";", 2)[0])
                .distinct()
                .toList();
        assertThat(threads).as(done.evidence()).contains("deep").anyMatch(name -> name.startsWith("main"));
    }
}
