package mayfly.sampler;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import mayfly.linux.LiveProcess;

/**
 * A Java command line: what the program's own name for it is.
 *
 * @param text the arguments, separated by blanks; untrusted
 * @param mainClass the main class, module or jar; empty if it cannot be told
 */
record CommandLine(String text, String mainClass) {
    /** Options of the java launcher whose value is the next argument. */
    private static final Set<String> WITH_VALUE = Set.of("-cp", "-classpath", "--class-path", "-p", "--module-path",
            "--upgrade-module-path", "--add-modules", "--add-reads", "--add-exports", "--add-opens", "--limit-modules",
            "--patch-module", "--describe-module", "-d", "--source", "--enable-native-access",
            "--illegal-native-access");

    static CommandLine of(LiveProcess process) {
        try {
            return of(process.commandLine());
        } catch (IOException e) {
            return new CommandLine("", "");
        }
    }

    static CommandLine of(List<String> arguments) {
        return new CommandLine(String.join(" ", arguments), mainClass(arguments));
    }

    private static String mainClass(List<String> arguments) {
        for (int i = 1; i < arguments.size(); i++) {
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
