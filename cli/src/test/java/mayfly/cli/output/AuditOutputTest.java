package mayfly.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import mayfly.audit.Audit;
import mayfly.audit.AuditComparison;
import mayfly.audit.AuditKind;
import mayfly.audit.AuditSection;
import mayfly.audit.Verdict;
import mayfly.cli.Captured;
import mayfly.cli.Child;
import mayfly.cli.ClientSample;
import mayfly.cli.JsonPage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output of {@code audit}, for synthetic audits and for a JVM. */
class AuditOutputTest {
    private static final Audit BEFORE = audit(
            0,
            Map.of(AuditKind.THREADS, Map.of("\"main\"", 1L), AuditKind.CLASSES, Map.of("a.Main in app", 1L)),
            AuditKind.FLAGS);
    private static final Audit AFTER = audit(
            2,
            Map.of(
                    AuditKind.THREADS, Map.of("\"main\"", 1L, "\"" + Dumps.EVIL + "\"", 2L, "Mayfly channel", 1L),
                    AuditKind.CLASSES,
                            Map.of(
                                    "a.Main in app",
                                    1L,
                                    "a.Tool in mayfly.host.MemoryLoader",
                                    2L,
                                    "java.util.Timer in boot",
                                    1L,
                                    "java.util.TimerTask in boot",
                                    1L),
                    AuditKind.MAPPINGS, Map.of("anonymous page MAYFLY-JVMTI-ANCHOR-1", 1L),
                    AuditKind.AGENTS, Map.of("/x/libjdwp.so: Agent_OnLoad", 1L)),
            AuditKind.SYSTEM_PROPERTIES);

    @TempDir
    private Path folder;

    private static Audit audit(int seconds, Map<AuditKind, Map<String, Long>> items, AuditKind unseen) {
        Map<AuditKind, AuditSection> sections = new EnumMap<>(AuditKind.class);
        for (AuditKind kind : AuditKind.values()) {
            sections.put(
                    kind,
                    new AuditSection(
                            kind, new TreeMap<>(items.getOrDefault(kind, Map.of())), kind == unseen ? "it moves" : ""));
        }
        return new Audit(
                new Audit.Identity(7, 8, "boot"),
                Instant.parse("2026-01-02T03:04:05Z").plusSeconds(seconds),
                List.of("r1 HotSpot 25.0.3"),
                sections);
    }

    private interface Printing {
        void to(PrintStream out) throws Exception;
    }

    private static String printed(Printing printing) throws Exception {
        var bytes = new ByteArrayOutputStream();
        printing.to(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void auditTextListsItemsOfEachKind() throws Exception {
        String text = printed(out -> AuditText.listed(7, AFTER, false, out));
        for (AuditKind kind : AuditKind.values()) {
            assertThat(text).contains("\n" + kind.title(), "  not seen " + kind.unseen());
        }
        assertThat(text)
                .startsWith("process 7, r1 HotSpot 25.0.3\n")
                .contains(
                        "\nthreads: 4\n",
                        "    \"main\"\n",
                        "    Mayfly channel  <- Mayfly's\n",
                        "\"evil?[2J?\"?\" (2)\n",
                        "\nsystem properties cannot be seen: it moves\n",
                        "    1 in app\n",
                        "    2 in boot\n",
                        "    2 in mayfly.host.MemoryLoader  <- Mayfly's\n",
                        "libjdwp.so: Agent_OnLoad  <- an agent's\n")
                .endsWith("\nitems of Mayfly: threads (1), classes (2); items of other agents: agents (1);"
                        + " items that remain after a profiler that used JVMTI: mapped files (1);"
                        + " not seen: system properties\n")
                .doesNotContain("java.util.Timer");
        assertThat(printed(out -> AuditText.listed(7, AFTER, true, out))).contains("    java.util.Timer in boot\n");
        assertThat(AuditText.presence(BEFORE))
                .isEqualTo("nothing belongs to Mayfly or to another agent; not seen: flags");
    }

    @Test
    void auditComparisonTextListsLeftoversFirst() throws Exception {
        AuditComparison comparison = AuditComparison.of(BEFORE, AFTER);
        String text = printed(out -> AuditText.compared(7, AFTER, BEFORE, comparison, false, out));
        assertThat(text.lines())
                .containsExactly(
                        "process 7, r1 HotSpot 25.0.3, 2.0 s after the saved audit",
                        "leftover  threads: + Mayfly channel: a thread of Mayfly's host",
                        "leftover  classes: + a.Tool in mayfly.host.MemoryLoader (2): a class of Mayfly's host, or of"
                                + " its profiler",
                        "leftover  agents: + /x/libjdwp.so: Agent_OnLoad: an agent's library",
                        "changed   threads: + \"evil?[2J?\"?\" (2): cannot be distinguished from a thread of the"
                                + " program",
                        "allowed   mapped files: + 1: the page that marks the empty JVMTI environment",
                        "allowed   classes: + 2: a class of the JDK that was used for the first time",
                        "not compared: flags: it was not seen before: it moves",
                        "not compared: system properties: it moves",
                        "not seen: " + AuditKind.NOT_SEEN + "; --all lists the limits of each kind",
                        "3 leftovers were found; changed, by the program, the JVM or a profiler: threads (+2); flags,"
                                + " system properties could not be compared");
        String each = printed(out -> AuditText.compared(7, AFTER, BEFORE, comparison, true, out));
        for (AuditKind kind : AuditKind.values()) {
            assertThat(each).contains("\nnot seen, " + kind.title() + ": " + kind.unseen() + "\n");
        }
        AuditComparison back = AuditComparison.of(AFTER, BEFORE);
        assertThat(printed(out -> AuditText.compared(7, BEFORE, AFTER, back, false, out)))
                .contains(
                        "changed   threads: - Mayfly channel: it is not there any more\n",
                        "no leftover was found; changed, by the program, the JVM or a profiler: threads (-3), ");
        assertThat(back.of(Verdict.LEFTOVER)).isEmpty();
    }

    @Test
    void auditJsonHasTheDocumentedShape() throws Exception {
        JsonPage page = JsonPage.read("audit-json.md");
        String listed = printed(out -> AuditJson.write(7, AFTER, null, null, out));
        assertThat(listed).matches("[ -~]+\n").hasLineCount(1);
        JsonNode audit = new ObjectMapper().readTree(listed);
        page.assertShape("The audit", audit, "comparedWith", "differences", "uncompared");
        assertThat(audit.get("kinds")).hasSize(AuditKind.values().length);
        for (JsonNode kind : audit.get("kinds")) {
            page.assertShape("A kind", kind);
            kind.get("items").forEach(item -> page.assertShape("An item", item));
        }
        JsonNode compared = new ObjectMapper()
                .readTree(printed(out -> AuditJson.write(7, AFTER, BEFORE, AuditComparison.of(BEFORE, AFTER), out)));
        page.assertShape("The audit", compared, "kinds");
        assertThat(compared.get("differences")).hasSize(7);
        compared.get("differences").forEach(difference -> page.assertShape("A difference", difference));
        compared.get("uncompared").forEach(kind -> page.assertShape("Parts that were not compared", kind));
    }

    @Test
    void auditJsonEqualsTheSamplesOfTheClient() throws Exception {
        ClientSample.compare("audit.json", printed(out -> AuditJson.write(7, AFTER, null, null, out)));
        ClientSample.compare(
                "audit-compared.json",
                printed(out -> AuditJson.write(7, AFTER, BEFORE, AuditComparison.of(BEFORE, AFTER), out)));
    }

    @Test
    void everyAuditKindIsDocumented() throws Exception {
        String page = Files.readString(Path.of("../docs/formats/audit.md"));
        for (AuditKind kind : AuditKind.values()) {
            assertThat(page).contains("| `" + kind.id() + "` | ");
        }
    }

    @Test
    @Tag("jvm")
    void savedAuditIsComparedWithTheSameProcessOnly() throws Exception {
        Path saved = folder.resolve("saved");
        try (var one = Child.jvm();
                var other = Child.jvm()) {
            var saving = new Captured();
            assertThat(saving.run("audit", one.pid(), "--save", saved.toString()))
                    .as(saving.err())
                    .isZero();
            assertThat(saving.out()).isEqualTo(saved + "\n");
            var same = new Captured();
            assertThat(same.run("audit", one.pid(), "--compare", saved.toString()))
                    .as(same.err() + same.out())
                    .isZero();
            assertThat(same.out()).containsAnyOf(" is left", "nothing is different");
            var another = new Captured();
            assertThat(another.run("audit", other.pid(), "--compare", saved.toString()))
                    .isEqualTo(2);
            assertThat(another.err()).contains("it is of another process", "[audit-of-another]");
            Files.writeString(saved, Files.readString(saved).replace("item\t1\t\"main\"\n", ""));
            Files.writeString(
                    saved,
                    Files.readString(saved)
                            .replace("seen\tagents\t\n", "seen\tagents\t\nitem\t1\t/x.so: Agent_OnLoad\n"));
            var changed = new Captured();
            assertThat(changed.run("audit", one.pid(), "--compare", saved.toString()))
                    .isZero();
            assertThat(changed.out())
                    .contains("changed   threads: + \"main\": ", "changed   agents: - /x.so: Agent_OnLoad: ");
            Files.writeString(saved, Files.readString(saved).replaceAll("(?m)^item\t1\tSIGQUIT has a handler\n", ""));
            assertThat(new Captured().run("audit", one.pid(), "--compare", saved.toString()))
                    .as("a leftover")
                    .isEqualTo(1);
        }
        var none = new Captured();
        assertThat(none.run("audit", "1", "--compare", folder.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(none.err()).contains("no such file", "[not-an-audit]");
    }
}
