package mayfly.api.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import mayfly.client.Mayfly;
import mayfly.client.MayflyException;

/** Shell scripts in place of a JVM and of Mayfly's command. */
final class Scripts {
    /** Answers of the real command, from the tests of the library. */
    private static final Path SAMPLES =
            Path.of("../client/src/test/resources/samples").toAbsolutePath();

    private final Path folder;

    Scripts(Path folder) {
        this.folder = folder;
    }

    /** Returns a program that is a script. */
    TargetProgram program(String script) throws IOException {
        Path home = folder.resolve("jvm");
        Files.createDirectories(home.resolve("bin"));
        executable(home.resolve("bin/java"), script);
        return TargetProgram.of("Main", Path.of("main.jar")).javaHome(home);
    }

    /**
     * Returns an installation whose command appends its arguments to a file, and runs the script of the command's name:
     * the given one, or a successful default.
     */
    Mayfly mayfly(String... scripts) throws IOException, MayflyException {
        Path home = Files.createDirectories(folder.resolve("mayfly"));
        write(home, "audit", "case \"$*\" in *--compare*) exec cat compared.json ;; *) cat audit.json ;; esac");
        write(home, "attach", "cat attach.json");
        write(home, "send", "echo answer");
        write(home, "status", "case \"$*\" in *--follow*) printf 'one\\ntwo\\nthree\\n' ;; *) cat status.json ;; esac");
        write(home, "detach", ":");
        for (String answer : List.of("attach.json", "audit.json")) {
            Files.copy(SAMPLES.resolve(answer), home.resolve(answer));
        }
        String pinned = Files.readString(SAMPLES.resolve("status.json"));
        Files.writeString(home.resolve("status.json"), pinned.replace("\"pinned\"", "\"active\""));
        compared("", "");
        for (int i = 0; i < scripts.length; i += 2) {
            write(home, scripts[i], scripts[i + 1]);
        }
        executable(home.resolve("mayfly"), "cd " + home + "; echo \"$*\" >>commands; name=$1; . \"./$name.sh\"");
        return Mayfly.at(home);
    }

    private static void write(Path home, String command, String script) throws IOException {
        Files.writeString(home.resolve(command + ".sh"), script + "\n");
    }

    /** Sets the differences and the kinds that were not compared in the answer of a comparing audit. */
    void compared(String differences, String uncompared) throws IOException {
        Files.writeString(
                folder.resolve("mayfly/compared.json"),
                "{\"schema\":\"mayfly-audit-json/1\",\"pid\":7,\"time\":\"2026-01-02T03:04:05Z\",\"runtimes\":[],"
                        + "\"notSeen\":\"\",\"comparedWith\":\"2026-01-02T03:04:00Z\",\"differences\":[" + differences
                        + "],\"uncompared\":[" + uncompared + "]}\n");
    }

    /** Returns the commands that were run, with the process id and the paths replaced. */
    List<String> commands(long pid) throws IOException {
        try {
            return Files.readAllLines(folder.resolve("mayfly/commands")).stream()
                    .map(line -> line.replace(Long.toString(pid), "PID").replaceAll("=/\\S*/", "=/.../"))
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private static void executable(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
