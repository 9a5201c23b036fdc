package mayfly.report.flamegraph;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import mayfly.profile.Profile;
import mayfly.report.facts.Facts;
import mayfly.report.tree.CallTree;

/**
 * The HTML flame graph. The content security policy of the page permits only its own script and style, by their hashes.
 * The page can make no requests and run no other code, regardless of the names in the profile.
 */
public final class FlameGraph {
    private static final List<String> SCRIPTS = List.of("model.js", "view.js", "page.js");

    /**
     * Writes the page.
     *
     * @throws IOException if the stream cannot be written
     */
    public static void write(CallTree tree, Profile profile, OutputStream out) throws IOException {
        var script = new StringBuilder("\"use strict\";\n");
        for (String name : SCRIPTS) {
            script.append(resource(name));
        }
        String style = resource("flamegraph.css");
        String title = Facts.title(profile.recording());
        String subtitle = Facts.subtitle(profile);
        Template.write(
                resource("flamegraph.html"),
                Map.of(
                        "policy", Template.text(policy(script.toString(), style)),
                        "title", Template.text(Template.escape(title)),
                        "subtitle", Template.text(Template.escape(subtitle)),
                        "style", Template.text(style),
                        "script", Template.text(script.toString()),
                        "plain", Template.text(PlainTable.html(tree)),
                        "data", data -> Payload.write(tree, title, subtitle, Facts.of(profile, tree), data)),
                out);
    }

    private static String policy(String script, String style) {
        return "default-src 'none'; script-src '" + hash(script) + "'; style-src '" + hash(style)
                + "'; base-uri 'none'; form-action 'none'";
    }

    /** Returns the hash as written in content security policies, see CSP Level 3, 2.3.1. */
    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static String resource(String name) throws IOException {
        String path = "/mayfly/report/flamegraph/" + name;
        try (InputStream in = FlameGraph.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IOException("the resource " + path + " is missing from the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private FlameGraph() {}
}
