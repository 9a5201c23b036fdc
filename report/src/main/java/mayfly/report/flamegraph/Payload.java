package mayfly.report.flamegraph;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import mayfly.report.facts.Facts;
import mayfly.report.tree.CallTree;
import mayfly.report.tree.FrameName;
import mayfly.report.tree.Kind;
import mayfly.report.tree.SafeText;

/**
 * The data of the page: columns of variable-length numbers, deflated, in base 64. {@code model.js} reads them in the
 * order in which this class writes them.
 */
final class Payload {
    /** The number of bytes deflated at once. */
    private static final int CHUNK = 1 << 16;

    private final List<byte[]> strings = new ArrayList<>();
    private final Map<String, Integer> stringIds = new HashMap<>();
    /** The data before the nodes. The strings come first. */
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream(1 << 12);

    private OutputStream out = beginning;

    /**
     * Writes the data in base 64, which cannot contain the end of a script element. Does not copy the tree in memory,
     * because it may be large.
     */
    static void write(CallTree tree, String title, String subtitle, List<Facts.Fact> facts, OutputStream page)
            throws IOException {
        var payload = new Payload();
        payload.number(payload.string(title));
        payload.number(payload.string(subtitle));
        payload.number(payload.string(tree.weight().label()));
        payload.facts(facts);
        payload.kinds(tree);
        payload.names(tree.names());
        try (var deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true)) {
            OutputStream text = Base64.getEncoder().wrap(new Unclosed(page));
            var deflated = new DeflaterOutputStream(text, deflater, CHUNK);
            payload.out = new BufferedOutputStream(deflated, CHUNK);
            payload.number(payload.strings.size());
            for (byte[] string : payload.strings) {
                payload.number(string.length);
                payload.out.write(string);
            }
            payload.beginning.writeTo(payload.out);
            payload.nodes(tree);
            payload.mixes(tree);
            payload.out.flush();
            deflated.finish();
            text.close(); // ends the base 64
        }
    }

    /** A stream that is not closed, because the page continues after the data. */
    private static final class Unclosed extends BufferedOutputStream {
        Unclosed(OutputStream page) {
            super(page, CHUNK);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }

    private void facts(List<Facts.Fact> facts) throws IOException {
        number(facts.size());
        for (Facts.Fact fact : facts) {
            number(string(fact.section()));
            number(string(fact.name()));
            number(string(fact.value()));
        }
    }

    private void kinds(CallTree tree) throws IOException {
        number(tree.kinds().size());
        for (Kind kind : tree.kinds()) {
            number(string(SafeText.visible(kind.label())));
            number(string(kind.colour().key()));
            number(tree.leafWeight(kind));
        }
    }

    /** Writes the names. The runtime of a frame is written only if there are several runtimes. */
    private void names(List<FrameName> names) throws IOException {
        number(names.size());
        for (FrameName name : names) {
            number(string(SafeText.visible(name.label())));
        }
        boolean oneRuntime = names.stream()
                        .filter(name -> name.kind().isOfRuntime())
                        .map(FrameName::detail)
                        .distinct()
                        .count()
                == 1;
        for (FrameName name : names) {
            boolean obvious = oneRuntime && name.kind().isOfRuntime();
            number(string(obvious ? "" : SafeText.visible(name.detail())));
        }
    }

    /**
     * Writes the nodes column by column, because the result compresses best. The depth of a node is written as its
     * distance above a child of the previous node.
     */
    private void nodes(CallTree tree) throws IOException {
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
            number(tree.kindIdOf(node));
        }
        for (int node = 0; node < tree.size(); node++) {
            number(tree.selfOf(node));
        }
    }

    private void mixes(CallTree tree) throws IOException {
        int count = 0;
        for (int node = 0; node < tree.size(); node++) {
            count += tree.isMixed(node) ? 1 : 0;
        }
        number(count);
        number((int) tree.kinds().stream().filter(Kind::isManaged).count());
        int last = 0;
        for (int node = 0; node < tree.size(); node++) {
            if (tree.isMixed(node)) {
                number(node - last);
                last = node;
                for (long part : tree.mixOf(node)) {
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

    private void number(long value) throws IOException {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
