package mayfly.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import mayfly.cli.command.Command;
import mayfly.cli.command.Subcommand;
import mayfly.cli.help.HelpPage;
import mayfly.cli.help.Suggestion;
import mayfly.cli.output.CommandFailed;
import mayfly.cli.output.EarlyInterrupt;
import mayfly.cli.output.ExitCode;
import mayfly.cli.output.Message;
import mayfly.cli.output.Terminal;
import mayfly.discovery.ProcessList;
import mayfly.discovery.Refused;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Syscall;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line: finds the command, runs it, and reports every outcome as a line on stderr and an exit code. */
public final class Main {
    private static final int MAX_HELP_COLUMNS = 100;
    private static final List<String> OPTIONS = List.of("--help", "--version");

    private Main() {}

    /** @param args a command and its arguments, see docs/cli.md */
    public static void main(String[] args) {
        if (args.length > 0 && !args[0].startsWith("-")) {
            loadSystemCalls();
        }
        int status = start(args, Terminal.ofProcess());
        System.err.flush();
        ProcessList.exitPastStuckLooks(status);
        System.exit(status);
    }

    /** Makes the first system call, which takes 15 ms. The command line is parsed in the meantime. */
    static void loadSystemCalls() {
        Thread.ofPlatform().daemon().name("system calls").start(Syscall::load);
    }

    /** Runs a command as {@link #run} does, and also handles the signals of this process. */
    static int start(String[] args, Terminal terminal) {
        EarlyInterrupt.watch(args, terminal);
        int status = run(args, terminal);
        EarlyInterrupt.over();
        return status;
    }

    /** Runs a command, prints its result or its failure, and returns the exit code. */
    public static int run(String[] args, Terminal terminal) {
        try {
            int status = dispatch(args, terminal);
            if (terminal.out().checkError()) {
                if (terminal.outIsPipe()) {
                    return ExitCode.READER_GONE.code();
                }
                throw Message.OUTPUT.with("standard output", "it accepted only a part of the data");
            }
            return status;
        } catch (Refused e) {
            return Message.of(e).printTo(terminal.err());
        } catch (CommandFailed e) {
            return e.printTo(terminal.err());
        } catch (RuntimeException | Error e) {
            return defect(e, terminal);
        }
    }

    private static int dispatch(String[] args, Terminal terminal) throws CommandFailed, Refused {
        String first = args.length == 0 ? "" : args[0];
        switch (first) {
            case "" -> {
                HelpPage.overview(List.of(Command.values()), helpColumns(terminal))
                        .forEach(terminal.err()::println);
                return ExitCode.USAGE.code();
            }
            case "-h", "--help" -> {
                HelpPage.overview(List.of(Command.values()), helpColumns(terminal))
                        .forEach(terminal.out()::println);
                return ExitCode.DONE.code();
            }
            case "-V", "-v", "--version", "version" -> {
                terminal.out().println("mayfly " + version());
                return ExitCode.DONE.code();
            }
            case "help" -> {
                return args.length == 1
                        ? dispatch(new String[] {"--help"}, terminal)
                        : dispatch(new String[] {args[1], "--help"}, terminal);
            }
            default -> {}
        }
        Command command = Command.named(first);
        if (command == null) {
            throw Message.USAGE.withAdvice(
                    Suggestion.of(first, first.startsWith("-") ? OPTIONS : Command.words())
                            .map(word -> "did you mean mayfly " + word + "?")
                            .orElse(""),
                    "there is no command '" + first + "'; see mayfly --help");
        }
        return execute(command, Arrays.copyOfRange(args, 1, args.length), terminal);
    }

    private static int helpColumns(Terminal terminal) {
        return Math.min(terminal.columns(), MAX_HELP_COLUMNS);
    }

    private static int execute(Command command, String[] args, Terminal terminal) throws CommandFailed, Refused {
        CommandLine parser = command.parser();
        try {
            if (parser.parseArgs(args).isUsageHelpRequested()) {
                HelpPage.lines(command, parser.getCommandSpec(), helpColumns(terminal))
                        .forEach(terminal.out()::println);
                return ExitCode.DONE.code();
            }
        } catch (ParameterException e) {
            throw usage(command, parser, e);
        }
        requireKnownCpu();
        try {
            return parser.<Subcommand>getCommand().run(terminal);
        } catch (CommandFailed e) {
            throw e.exitCode() == ExitCode.USAGE.code() ? e.advising(usage(command, parser)) : e;
        }
    }

    /** On another CPU, the number of a system call is another call's, and no stack can be walked. */
    private static void requireKnownCpu() throws Refused {
        if (!Cpu.isSupported()) {
            throw new Refused(
                    Refused.Reason.UNSUPPORTED_KERNEL,
                    "the CPU of this machine is " + System.getProperty("os.arch") + "; Mayfly runs on x86-64 only",
                    "");
        }
    }

    private static String usage(Command command, CommandLine parser) {
        return "usage: " + command.synopsis(parser.getCommandSpec());
    }

    /** Returns the failure for a wrong command line: the error, a suggestion, and the synopsis. */
    private static CommandFailed usage(Command command, CommandLine parser, ParameterException wrong) {
        String message = String.valueOf(wrong.getMessage()).replace(" is not an int", " is not a whole number");
        String advice = usage(command, parser);
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            // The arguments after an unknown option are unmatched too, and may be correct.
            String typed = unmatched.getUnmatched().getFirst();
            message = (typed.startsWith("-") ? "Unknown option: '" : "Unmatched argument: '") + typed + "'";
            advice = Suggestion.of(typed, parser.getCommandSpec().optionsMap().keySet())
                            .map(option -> "did you mean " + option + "?\n")
                            .orElse("")
                    + advice;
        }
        return Message.USAGE.withAdvice(advice, message + "; see mayfly " + command.word() + " --help");
    }

    /** Reports an internal error: one line, and a stack trace only on request. */
    private static int defect(Throwable e, Terminal terminal) {
        if (terminal.environment().containsKey("MAYFLY_DEBUG")) {
            e.printStackTrace(terminal.err());
        }
        return Message.defect(e).printTo(terminal.err());
    }

    static String version() {
        try (InputStream in = Main.class.getResourceAsStream("version")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
