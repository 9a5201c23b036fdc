package mayfly.attach.listener;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads lists of mounts, see proc(5). */
public final class Mounts {
    /** The octal numbers by which the kernel prints a tab, a line feed, a blank, a number sign and a backslash. */
    private static final Pattern ESCAPE = Pattern.compile("\\\\(011|012|040|043|134)");

    private Mounts() {}

    /**
     * Returns true if the kernel loads libraries from a path. The path belongs to the mount with the longest mount
     * point that is the path or one of its parents; if several mounts have that mount point, the last one counts. The
     * fourth field of a line has the options.
     *
     * @param mounts the lines of /proc/PID/mounts
     */
    public static boolean mayLoadFrom(Path path, List<String> mounts) {
        // Compared as text: a mount point that this locale cannot encode is no Path.
        String file = path.normalize() + "/";
        int at = 0;
        boolean may = true;
        for (String line : mounts) {
            String[] fields = line.split(" ");
            String mount = fields.length < 4 ? "" : unescaped(fields[1]);
            String below = mount.endsWith("/") ? mount : mount + "/";
            if (mount.startsWith("/") && file.startsWith(below) && below.length() >= at) {
                at = below.length();
                may = !List.of(fields[3].split(",")).contains("noexec");
            }
        }
        return may;
    }

    private static String unescaped(String path) {
        return ESCAPE.matcher(path)
                .replaceAll(
                        escape -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(escape.group(1), 8))));
    }
}
