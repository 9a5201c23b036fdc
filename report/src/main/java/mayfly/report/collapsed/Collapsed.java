package mayfly.report.collapsed;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.SafeText;

/**
 * Writes collapsed stacks. A line has the frames from the root to the leaf, separated by {@code ;}, a blank, and the
 * weight in the unit of {@link CallTree#weight}. The heaviest path comes first.
 */
public final class Collapsed {
    /**
     * Writes the stacks of a tree.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(CallTree tree, OutputStream stream) throws IOException {
        var out = new BufferedOutputStream(stream, 1 << 16);
        byte[][] labels = tree.names().stream()
                .map(name -> SafeText.collapsed(name.label()).getBytes(StandardCharsets.UTF_8))
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

    private Collapsed() {}
}
