package mayfly.report.collapsed;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.SafeText;

/**
 * Frames from the root to the leaf with {@code ;} between, a blank, and the weight: the number of samples, or what they
 * stand for if they stand for different amounts (nanoseconds), or for bytes. Heaviest paths first.
 */
public final class Collapsed {
    public static void write(CallTree tree, OutputStream out) throws IOException {
        Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
        String[] labels = tree.names().stream().map(name -> SafeText.collapsed(name.label())).toArray(String[]::new);
        var path = new StringBuilder();
        int[] ends = new int[64];
        for (int node = 1; node < tree.size(); node++) {
            int depth = tree.depthOf(node);
            if (depth >= ends.length) {
                ends = Arrays.copyOf(ends, depth * 2);
            }
            path.setLength(ends[depth - 1]);
            if (depth > 1) {
                path.append(';');
            }
            path.append(labels[tree.nameIdOf(node)]);
            ends[depth] = path.length();
            if (tree.selfOf(node) > 0) {
                writer.append(path).append(' ').append(Long.toString(tree.selfOf(node))).append('\n');
            }
        }
        writer.flush();
    }

    private Collapsed() {}
}
