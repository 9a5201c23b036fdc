package mayfly.report.collapsed;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.profile.Profile;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.FrameName;
import mayfly.report.tree.SafeText;

/**
 * Writes collapsed stacks. A line has the frames from the root to the leaf, separated by {@code ;}, a blank, and the
 * weight in the unit of {@link CallTree#weight}. The heaviest path comes first. If the recorded process had several
 * runtimes, each method and stub has the id of its runtime as a suffix, such as {@code _[r2]}.
 */
public final class Collapsed {
    /**
     * Writes the stacks of a tree.
     *
     * @param profile the profile that the tree was built from
     * @throws IOException if the stream cannot be written
     */
    public static void write(CallTree tree, Profile profile, OutputStream stream) throws IOException {
        var out = new BufferedOutputStream(stream, 1 << 16);
        // The recorded runtimes count, and not those with samples: the names do not depend on chance.
        boolean severalRuntimes = profile.recording().runtimes().size() > 1;
        byte[][] labels = tree.names().stream()
                .map(name -> label(name, severalRuntimes).getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        byte[] path = new byte[1 << 12];
        int[] ends = new int[64];
        for (int node = 1; node < tree.size(); node++) {
            int depth = tree.depthOf(node);
            if (depth >= ends.length) {
                ends = Arrays.copyOf(ends, depth * 2);
            }
            byte[] label = labels[tree.nameIdOf(node)];
            int end = ends[depth - 1];
            if (end + 1 + label.length > path.length) {
                path = Arrays.copyOf(path, (end + 1 + label.length) * 2);
            }
            if (depth > 1) {
                path[end++] = ';';
            }
            System.arraycopy(label, 0, path, end, label.length);
            ends[depth] = end + label.length;
            long self = tree.selfOf(node);
            if (self > 0) {
                out.write(path, 0, ends[depth]);
                out.write((" " + self + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        }
        out.flush();
    }

    private static String label(FrameName name, boolean severalRuntimes) {
        String label = SafeText.collapsed(name.label());
        return severalRuntimes && name.kind().isOfRuntime() ? label + "_[" + name.detail() + "]" : label;
    }

    private Collapsed() {}
}
