package mayfly.discovery;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import mayfly.linux.LiveProcess;
import mayfly.profile.LoadedProgram;
import mayfly.runtime.ManagedRuntime;

/**
 * The command line of a process, and the main class in it.
 *
 * @param text the arguments, separated by blanks; untrusted
 * @param mainClass the main class, module or jar, or the name of a program that is not the JDK's launcher; empty if it
 *     cannot be determined
 * @param arguments the arguments of the program, which follow its main class, separated by blanks; untrusted
 */
public record CommandLine(String text, String mainClass, String arguments) {
    /** Options of the java launcher whose value is the next argument. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--add-reads",
            "--add-exports",
            "--add-opens",
            "--limit-modules",
            "--patch-module",
            "--describe-module",
            "-d",
            "--source",
            "--enable-native-access",
            "--illegal-native-access");
    /**
     * The library that the JDK's launcher maps, whatever the launcher's file name is. The arguments of other programs
     * are not interpreted.
     */
    private static final String LAUNCHERS_LIBRARY = "libjli.so";

    /**
     * Returns the command line of a process as the kernel currently has it, and the main class as recorded by its first
     * runtime.
     */
    static CommandLine of(LiveProcess process, List<ManagedRuntime> runtimes) {
        CommandLine kernels = of(process);
        String command = runtimes.isEmpty() ? "" : runtimes.getFirst().command();
        if (command.isEmpty()) {
            return kernels;
        }
        String main = mainClass(command, kernels.text);
        return new CommandLine(
                kernels.text, main, command.substring(main.length()).strip());
    }

    /**
     * Returns the main class, module or jar of a runtime's command: its first word, or the path of a jar, which may
     * contain blanks, if the process has that path as an argument after {@code -jar}.
     *
     * @param command the program's main class or jar with its arguments, separated by blanks
     * @param commandLine the arguments of the process, separated by blanks
     */
    static String mainClass(String command, String commandLine) {
        int blank = command.indexOf(' ');
        String first = blank < 0 ? command : command.substring(0, blank);
        int jar = command.indexOf(".jar ");
        String whole = command.endsWith(".jar") ? command : first;
        String path = jar >= 0 ? command.substring(0, jar + 4) : whole;
        return commandLine.contains("-jar " + path) ? path : first;
    }

    /** Returns the command line of a process, and the main class derived from it alone. */
    static CommandLine of(LiveProcess process) {
        try {
            return of(process, process.mappings().stream().anyMatch(mapping -> isLaunchers(name(mapping.path()))));
        } catch (IOException e) {
            return new CommandLine("", "", "");
        }
    }

    /** Returns true for the file name of a library that the JDK's launcher maps. */
    static boolean isLaunchers(String fileName) {
        return fileName.startsWith(LAUNCHERS_LIBRARY);
    }

    /**
     * Returns the command line of a process whose mappings have already been read, and the main class derived from it
     * alone.
     *
     * @param launcher true if the launcher's library is mapped
     */
    static CommandLine of(LiveProcess process, boolean launcher) throws IOException {
        List<String> arguments = process.facts().commandLine();
        return launcher || arguments.isEmpty() ? of(arguments) : ofOtherProgram(arguments);
    }

    /**
     * Returns the command line of a program to be started. The arguments of a program other than java are not
     * interpreted.
     */
    public static CommandLine ofCommand(List<String> command) {
        int program = LoadedProgram.position(command);
        boolean java = program < command.size() && name(command.get(program)).equals("java");
        return java ? of(command) : ofOtherProgram(command);
    }

    static CommandLine ofOtherProgram(List<String> arguments) {
        return new CommandLine(String.join(" ", arguments), name(arguments.getFirst()), after(0, arguments));
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    static CommandLine of(List<String> arguments) {
        int main = mainClass(arguments);
        return new CommandLine(
                String.join(" ", arguments),
                main < arguments.size() ? arguments.get(main) : "",
                after(main, arguments));
    }

    private static String after(int position, List<String> arguments) {
        return String.join(" ", arguments.subList(Math.min(position + 1, arguments.size()), arguments.size()));
    }

    /**
     * Returns the position of the main class, module or jar, or the number of arguments if there is none or it cannot
     * be determined: a file of arguments may contain it.
     */
    private static int mainClass(List<String> arguments) {
        for (int i = LoadedProgram.position(arguments) + 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            switch (argument) {
                case "-jar", "-m", "--module" -> {
                    return i + 1;
                }
                default -> {
                    if (argument.startsWith("@")) {
                        return arguments.size();
                    } else if (WITH_VALUE.contains(argument)) {
                        i++;
                    } else if (!argument.startsWith("-")) {
                        return i;
                    }
                }
            }
        }
        return arguments.size();
    }
}
