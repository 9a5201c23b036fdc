package mayfly.profile;

import java.util.List;
import java.util.Set;

/** The program of a command line, which may begin with the dynamic loader, see ld.so(8). */
public final class LoadedProgram {
    private static final Set<String> WITH_VALUE = Set.of(
            "--library-path",
            "--inhibit-rpath",
            "--audit",
            "--preload",
            "--argv0",
            "--glibc-hwcaps-prepend",
            "--glibc-hwcaps-mask");

    private LoadedProgram() {}

    /**
     * Returns the position of the program: after the dynamic loader and its options, or 0. It is not below the number
     * of arguments if no program follows the loader.
     */
    public static int position(List<String> arguments) {
        if (arguments.isEmpty() || !fileName(arguments.getFirst()).startsWith("ld-linux")) {
            return 0;
        }
        int i = 1;
        while (i < arguments.size() && arguments.get(i).startsWith("--")) {
            i += WITH_VALUE.contains(arguments.get(i)) ? 2 : 1;
        }
        return i;
    }

    /** Returns the file name of the program, or of the loader if no program follows it; empty for no arguments. */
    public static String name(List<String> arguments) {
        if (arguments.isEmpty()) {
            return "";
        }
        int at = position(arguments);
        return fileName(arguments.get(at < arguments.size() ? at : 0));
    }

    private static String fileName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
