package mayfly.cli.command;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditFile;
import mayfly.audit.Verdict;
import mayfly.cli.file.OutputFile;
import mayfly.cli.option.PathConverter;
import mayfly.cli.option.TargetArgument;
import mayfly.cli.output.AuditJson;
import mayfly.cli.output.AuditText;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.Refused;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mayfly audit}. */
@Command(addMethodSubcommands = false)
final class AuditCommand implements Subcommand {
    @Mixin
    TargetArgument target = new TargetArgument();

    @Option(
            names = "--save",
            paramLabel = "FILE",
            converter = PathConverter.class,
            description = "Save the list in a file, for a later comparison; see docs/formats/audit.md.")
    @Nullable
    Path save;

    @Option(
            names = "--compare",
            paramLabel = "FILE",
            converter = PathConverter.class,
            description = "Print the changes since the file was saved, and their meaning. Exits with 1 if a"
                    + " profiler has left something, with 0 if not.")
    @Nullable
    Path compare;

    @Option(
            names = "--strict",
            description = "With --compare: exit with 1 for any change, even one that the program or"
                    + " the JVM may have made, and if a kind could not be compared.")
    boolean strict;

    @Option(
            names = "--all",
            description = "List every item, including each class and each property. With"
                    + " --compare, also list what cannot be seen of each kind.")
    boolean all;

    @Option(names = "--json", description = "Print one JSON object, see docs/formats/audit-json.md.")
    boolean json;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print only errors; the exit code gives the result of --compare.")
    boolean quiet;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        if (save != null && compare != null) {
            throw Message.USAGE.with("--save and --compare exclude each other");
        }
        if (strict && compare == null) {
            throw Message.USAGE.with("--strict needs --compare: it applies to changes");
        }
        if (quiet && json) {
            throw Message.USAGE.with("--quiet and --json exclude each other");
        }
        int pid = target.pid();
        Audit before = compare == null ? null : read(compare);
        return run(pid, before, Audit.of(pid), terminal);
    }

    private int run(int pid, @Nullable Audit before, Audit now, Terminal terminal) throws CommandFailed {
        AuditComparison comparison = before == null ? null : compare(pid, before, now);
        if (save != null) {
            save(now, save);
        }
        try {
            if (quiet) {
                return exitCode(comparison);
            }
            if (json) {
                AuditJson.write(pid, now, before, comparison, terminal.out());
            } else if (before != null && comparison != null) {
                AuditText.compared(pid, now, before, comparison, all, terminal.out());
            } else if (save != null) {
                terminal.out().println(save);
                terminal.err().println("mayfly: " + AuditText.presence(now));
            } else {
                AuditText.listed(pid, now, all, terminal.out());
            }
        } catch (IOException e) {
            throw Message.OUTPUT.with("standard output", OutputFile.reason(e));
        }
        return exitCode(comparison);
    }

    private int exitCode(@Nullable AuditComparison comparison) {
        boolean left = comparison != null
                && (!comparison.of(Verdict.LEFTOVER).isEmpty()
                        || strict
                                && !(comparison.of(Verdict.CHANGED).isEmpty()
                                        && comparison.uncompared().isEmpty()));
        return (left ? ExitCode.FAILED : ExitCode.DONE).code();
    }

    private AuditComparison compare(int pid, Audit before, Audit now) throws CommandFailed {
        try {
            return AuditComparison.of(before, now);
        } catch (AuditComparison.NotComparable e) {
            throw Message.AUDIT_OF_ANOTHER.with(String.valueOf(compare), pid, String.valueOf(e.getMessage()));
        }
    }

    private static void save(Audit audit, Path path) throws CommandFailed {
        try (OutputFile file = OutputFile.named(path)) {
            file.write(out -> AuditFile.write(audit, out));
        }
    }

    private static Audit read(Path path) throws CommandFailed {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path))) {
            return AuditFile.read(in);
        } catch (IOException e) {
            throw Message.NOT_AN_AUDIT.with(path, OutputFile.reason(e));
        } catch (AuditFile.NotAnAudit e) {
            throw Message.NOT_AN_AUDIT.with(path, String.valueOf(e.getMessage()));
        }
    }
}
