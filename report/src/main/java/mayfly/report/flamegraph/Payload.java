package mayfly.report.flamegraph;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import mayfly.report.facts.Facts;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.FrameName;
import mayfly.report.tree.Kind;
import mayfly.report.tree.SafeText;

/**
 * The data of the page: columns of variable-length numbers, deflated, in base 64. The reader is {@code model.js}, which
 * reads them in the order in which they are written here.
 */
final class Payload {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 16);
    private final List<byte[]> strings = new ArrayList<>();
    private final Map<String, Integer> stringIds = new HashMap<>();

    /** Base 64: nothing in it can end a script element. */
    static String encode(CallTree tree, String title, String subtitle, List<Facts.Fact> facts) {
        var body = new Payload();
        body.number(body.string(title));
        body.number(body.string(subtitle));
        body.number(body.string(tree.weight().label()));
        body.facts(facts);
        body.kinds(tree);
        body.names(tree.names());
        body.nodes(tree);
        body.mixes(tree);
        var head = new Payload();
        head.number(body.strings.size());
        for (byte[] string : body.strings) {
            head.number(string.length);
            head.bytes.writeBytes(string);
        }
        head.bytes.writeBytes(body.bytes.toByteArray());
        return Base64.getEncoder().encodeToString(deflate(head.bytes.toByteArray()));
    }

    private void facts(List<Facts.Fact> facts) {
        number(facts.size());
        for (Facts.Fact fact : facts) {
            number(string(fact.section()));
            number(string(fact.name()));
            number(string(fact.value()));
        }
    }

    private void kinds(CallTree tree) {
        number(Kind.values().length);
        for (Kind kind : Kind.values()) {
            number(string(kind.label()));
            number(tree.leafWeight(kind));
        }
    }

    private void names(List<FrameName> names) {
        number(names.size());
        names.forEach(name -> number(string(SafeText.visible(name.label()))));
        boolean oneRuntime = names.stream().filter(Payload::isRuntimes).map(FrameName::detail).distinct().count() == 1;
        names.forEach(name ->
                number(string(oneRuntime && isRuntimes(name) ? "" : SafeText.visible(name.detail()))));
    }

    /** Whether a frame belongs to a runtime, which is worth saying only where there are several. */
    private static boolean isRuntimes(FrameName name) {
        return name.kind().ordinal() <= Kind.STUB.ordinal();
    }

    /** Column by column, which deflates best. A depth is written as the step up from a child of the node before. */
    private void nodes(CallTree tree) {
        number(tree.size());
        int last = -1;
        for (int node = 0; node < tree.size(); node++) {
            number(last + 1 - tree.depthOf(node));
            last = tree.depthOf(node);
        }
        for (int node = 0; node < tree.size(); node++) {
            number(tree.nameIdOf(node));
        }
        for (int node = 0; node < tree.size(); node++) {
            number(tree.kindOf(node).ordinal());
        }
        for (int node = 0; node < tree.size(); node++) {
            number(tree.selfOf(node));
        }
    }

    private void mixes(CallTree tree) {
        int count = 0;
        for (int node = 0; node < tree.size(); node++) {
            count += tree.mixOf(node).length > 0 ? 1 : 0;
        }
        number(count);
        number(CallTree.JAVA_KINDS);
        int last = 0;
        for (int node = 0; node < tree.size(); node++) {
            long[] mix = tree.mixOf(node);
            if (mix.length > 0) {
                number(node - last);
                last = node;
                for (long part : mix) {
                    number(part);
                }
            }
        }
    }

    private int string(String text) {
        return stringIds.computeIfAbsent(text, fresh -> {
            strings.add(fresh.getBytes(StandardCharsets.UTF_8));
            return strings.size() - 1;
        });
    }

    private void number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }

    private static byte[] deflate(byte[] plain) {
        var out = new ByteArrayOutputStream(plain.length / 3 + 64);
        try (var deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true)) {
            deflater.setInput(plain);
            deflater.finish();
            byte[] chunk = new byte[1 << 16];
            while (!deflater.finished()) {
                out.write(chunk, 0, deflater.deflate(chunk));
            }
        }
        return out.toByteArray();
    }
}
