package mayfly.cli.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Implements {@code mayfly run --exact}, which makes a program's JVM record debug information for all instructions:
 * java(1) takes options as arguments, or from JDK_JAVA_OPTIONS if a script starts it.
 */
public final class ExactLeaves {
    public static final String UNLOCK = "-XX:+UnlockDiagnosticVMOptions";
    public static final String FLAG = "-XX:+DebugNonSafepoints";
    private static final String VARIABLE = "JDK_JAVA_OPTIONS";

    private ExactLeaves() {}

    /** Returns the command with the options added, if the command is java itself. */
    public static List<String> command(List<String> command) {
        if (!isJava(command)) {
            return command;
        }
        var words = new ArrayList<>(command);
        words.addAll(1, List.of(UNLOCK, FLAG));
        return words;
    }

    /**
     * Returns the variables to set if the command is not java; empty if it is. Existing options of the user are kept.
     *
     * @param environment variables set for the program in addition to those of this process
     * @param ours the environment of this process
     */
    public static Map<String, String> environment(
            List<String> command, Map<String, String> environment, Map<String, String> ours) {
        if (isJava(command)) {
            return Map.of();
        }
        String theirs = environment.getOrDefault(VARIABLE, ours.getOrDefault(VARIABLE, ""));
        return Map.of(VARIABLE, (theirs + " " + UNLOCK + " " + FLAG).strip());
    }

    private static boolean isJava(List<String> command) {
        String program = command.getFirst();
        return program.substring(program.lastIndexOf('/') + 1).equals("java");
    }
}
