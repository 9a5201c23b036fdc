package mayfly.cli.command;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditFile;
import mayfly.audit.Verdict;
import mayfly.cli.file.OutputFile;
import mayfly.cli.option.Definition;
import mayfly.cli.option.Flag;
import mayfly.cli.option.Option;
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

/** {@code mayfly audit}. */
final class AuditCommand implements Subcommand {
    private final TargetArgument target = new TargetArgument();

    private final Option<Path> save = Option.named("--save")
            .value("FILE", new PathConverter())
            .description("Save the list in a file, for a later comparison; see docs/formats/audit.md.");

    private final Option<Path> compare = Option.named("--compare")
            .value("FILE", new PathConverter())
            .description("Print the changes since the file was saved, and their meaning. Exits with 1 if a"
                    + " profiler has left something, with 0 if not.");

    private final Flag strict = new Flag(
            "--strict",
            "With --compare: exit with 1 for any change, even one that the program or"
                    + " the JVM may have made, and if a kind could not be compared.");

    private final Flag all = new Flag(
            "--all",
            "List every item, including each class and each property. With"
                    + " --compare, also list what cannot be seen of each kind.");

    private final Flag json = new Flag("--json", "Print one JSON object, see docs/formats/audit-json.md.");

    private final Flag quiet =
            new Flag("-q", "--quiet", "Print only errors; the exit code gives the result of --compare.");

    @Override
    public List<Definition> definitions() {
        return List.of(target, save, compare, strict, all, json, quiet);
    }

    @Override
    public int run(Terminal terminal) throws CommandFailed, Refused {
        Path earlier = compare.orNull();
        if (save.orNull() != null && earlier != null) {
            throw Message.USAGE.with("--save and --compare exclude each other");
        }
        if (strict.isSet() && earlier == null) {
            throw Message.USAGE.with("--strict needs --compare: it applies to changes");
        }
        if (quiet.isSet() && json.isSet()) {
            throw Message.USAGE.with("--quiet and --json exclude each other");
        }
        int pid = target.pid();
        Audit before = earlier == null ? null : read(earlier);
        return run(pid, before, Audit.of(pid), terminal);
    }

    private int run(int pid, @Nullable Audit before, Audit now, Terminal terminal) throws CommandFailed {
        AuditComparison comparison = before == null ? null : compare(pid, before, now);
        Path file = save.orNull();
        if (file != null) {
            save(now, file);
        }
        try {
            if (quiet.isSet()) {
                return exitCode(comparison);
            }
            if (json.isSet()) {
                AuditJson.write(pid, now, before, comparison, terminal.out());
            } else if (before != null && comparison != null) {
                AuditText.compared(pid, now, before, comparison, all.isSet(), terminal.out());
            } else if (file != null) {
                terminal.out().println(file);
                terminal.err().println("mayfly: " + AuditText.presence(now));
            } else {
                AuditText.listed(pid, now, all.isSet(), terminal.out());
            }
        } catch (IOException e) {
            throw Message.OUTPUT.with("standard output", OutputFile.reason(e));
        }
        return exitCode(comparison);
    }

    private int exitCode(@Nullable AuditComparison comparison) {
        boolean left = comparison != null
                && (!comparison.of(Verdict.LEFTOVER).isEmpty()
                        || strict.isSet()
                                && !(comparison.of(Verdict.CHANGED).isEmpty()
                                        && comparison.uncompared().isEmpty()));
        return (left ? ExitCode.FAILED : ExitCode.DONE).code();
    }

    private AuditComparison compare(int pid, Audit before, Audit now) throws CommandFailed {
        try {
            return AuditComparison.of(before, now);
        } catch (AuditComparison.NotComparable e) {
            throw Message.AUDIT_OF_ANOTHER.with(String.valueOf(compare.orNull()), pid, String.valueOf(e.getMessage()));
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
