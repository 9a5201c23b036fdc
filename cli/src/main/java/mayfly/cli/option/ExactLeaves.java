package mayfly.cli.option;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How {@code mayfly run --exact} has a program's JVM record debug information for all instructions: java(1) takes
 * options as arguments, and from JDK_JAVA_OPTIONS where a script starts it.
 */
public final class ExactLeaves {
    public static final String UNLOCK = "-XX:+UnlockDiagnosticVMOptions";
    public static final String FLAG = "-XX:+DebugNonSafepoints";
    private static final String VARIABLE = "JDK_JAVA_OPTIONS";

    private ExactLeaves() {
    }

    /** The command with the options, if it is java itself. */
    public static List<String> command(List<String> command) {
        if (!isJava(command)) {
            return command;
        }
        var words = new ArrayList<>(command);
        words.addAll(1, List.of(UNLOCK, FLAG));
        return words;
    }

    /**
     * What the program's environment needs if its command is not java. The options that the user has there stay.
     *
     * @param environment what is set for the program in addition to ours
     * @param ours our own environment
     */
    public static Map<String, String> environment(List<String> command, Map<String, String> environment,
            Map<String, String> ours) {
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
