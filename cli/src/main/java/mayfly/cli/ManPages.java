package mayfly.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import mayfly.cli.command.Command;
import mayfly.cli.help.ManPage;
import mayfly.cli.output.ExitCode;

/** Writes the manual pages while the archive is made. */
final class ManPages {
    private ManPages() {}

    /** @param args a directory to write to */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        List<Command> commands = List.of(Command.values());
        List<String> codes = Arrays.stream(ExitCode.values())
                .map(code -> code.code() + " " + code.meaning())
                .toList();
        Files.writeString(directory.resolve("mayfly.1"), ManPage.overview(commands, codes, Main.version()));
        for (Command command : commands) {
            Files.writeString(
                    directory.resolve("mayfly-" + command.word() + ".1"), ManPage.of(command, Main.version()));
        }
    }
}
