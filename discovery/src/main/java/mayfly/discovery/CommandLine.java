package mayfly.discovery;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import mayfly.linux.LiveProcess;
import mayfly.runtime.ManagedRuntime;

/**
 * A Java command line: what the program's own name for it is.
 *
 * @param text the arguments, separated by blanks; untrusted
 * @param mainClass the main class, module or jar, or the name of a program that is not the JDK's launcher; empty if it
 *        cannot be told
 */
public record CommandLine(String text, String mainClass) {
    /** Options of the java launcher whose value is the next argument. */
    private static final Set<String> WITH_VALUE = Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path",
            "--upgrade-module-path", "--add-modules", "--add-reads", "--add-exports", "--add-opens", "--limit-modules",
            "--patch-module", "--describe-module", "-d", "--source", "--enable-native-access",
            "--illegal-native-access");
    private static final Set<String> LOADERS_WITH_VALUE = Set.of("--library-path", "--inhibit-rpath", "--audit",
            "--preload", "--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask");
    /** Mapped by the JDK's launcher, whatever that is called. What other programs' arguments mean is their affair. */
    private static final String LAUNCHERS_LIBRARY = "libjli.so";

    /** The command line of a process as the kernel has it now, and the main class as its first runtime has it. */
    static CommandLine of(LiveProcess process, List<ManagedRuntime> runtimes) {
        CommandLine kernels = of(process);
        String command = runtimes.isEmpty() ? "" : runtimes.getFirst().command();
        return command.isEmpty() ? kernels : new CommandLine(kernels.text, mainClass(command, kernels.text));
    }

    /**
     * The main class, module or jar of a runtime's command: its first word, or all of an argument that it begins with,
     * because the path of a jar may have blanks.
     *
     * @param command what was started with its arguments, separated by blanks
     * @param commandLine the arguments of the process, separated by blanks
     */
    static String mainClass(String command, String commandLine) {
        int blank = command.indexOf(' ');
        String first = blank < 0 ? command : command.substring(0, blank);
        int jar = command.indexOf(".jar ");
        String path = jar >= 0 ? command.substring(0, jar + 4) : command.endsWith(".jar") ? command : first;
        return commandLine.contains("-jar " + path) ? path : first;
    }

    /** The command line of a process, and the main class by it alone. */
    static CommandLine of(LiveProcess process) {
        try {
            return of(process, process.mappings().stream().anyMatch(mapping -> isLaunchers(name(mapping.path()))));
        } catch (IOException e) {
            return new CommandLine("", "");
        }
    }

    /** Returns true for the file name of a library that the JDK's launcher maps. */
    static boolean isLaunchers(String fileName) {
        return fileName.startsWith(LAUNCHERS_LIBRARY);
    }

    /**
     * The same where the mappings were read already.
     *
     * @param launcher if the launcher's library is among them
     */
    static CommandLine of(LiveProcess process, boolean launcher) throws IOException {
        List<String> arguments = process.commandLine();
        return launcher || arguments.isEmpty() ? of(arguments) : ofOtherProgram(arguments);
    }

    /** A command that is to be started. What a program that is not java makes of its arguments is not known. */
    public static CommandLine ofCommand(List<String> command) {
        int program = program(command);
        boolean java = program < command.size() && name(command.get(program)).equals("java");
        return java ? of(command) : ofOtherProgram(command);
    }

    static CommandLine ofOtherProgram(List<String> arguments) {
        return new CommandLine(String.join(" ", arguments), name(arguments.getFirst()));
    }

    /** Where the program is: after the dynamic loader and its options, see ld.so(8), if that was started. */
    private static int program(List<String> arguments) {
        if (arguments.isEmpty() || !name(arguments.getFirst()).startsWith("ld-linux")) {
            return 0;
        }
        int i = 1;
        while (i < arguments.size() && arguments.get(i).startsWith("--")) {
            i += LOADERS_WITH_VALUE.contains(arguments.get(i)) ? 2 : 1;
        }
        return i;
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    static CommandLine of(List<String> arguments) {
        return new CommandLine(String.join(" ", arguments), mainClass(arguments));
    }

    private static String mainClass(List<String> arguments) {
        for (int i = program(arguments) + 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            switch (argument) {
                case "-jar", "-m", "--module" -> {
                    return i + 1 < arguments.size() ? arguments.get(i + 1) : "";
                }
                default -> {
                    if (WITH_VALUE.contains(argument)) {
                        i++;
                    } else if (!argument.startsWith("-") && !argument.startsWith("@")) {
                        return argument;
                    }
                }
            }
        }
        return "";
    }
}
