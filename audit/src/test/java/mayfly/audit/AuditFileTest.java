package mayfly.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import mayfly.audit.AuditFile.NotAnAudit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Saved audits, byte for byte as in docs/formats/audit.md. */
class AuditFileTest {
    private static final Path GOLDEN = Path.of("src/test/resources/mayfly/audit/saved.txt");
    private static final Audit SAVED = Audits.without(AuditKind.SYSTEM_PROPERTIES, "it moves while it is read");

    private static String written(Audit audit) throws IOException {
        var out = new ByteArrayOutputStream();
        AuditFile.write(audit, out);
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private static Audit read(String text) throws IOException, NotAnAudit {
        return AuditFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    void writtenAuditEqualsGoldenFile() throws Exception {
        if ("write".equals(System.getProperty("golden"))) {
            Files.writeString(GOLDEN, written(SAVED));
        }
        assertThat(written(SAVED)).isEqualTo(Files.readString(GOLDEN));
        assertThat(written(SAVED)).matches("[ -~\n\t]*");
    }

    @Test
    void goldenFileIsReadAsTheSavedAudit() throws Exception {
        assertThat(read(Files.readString(GOLDEN))).isEqualTo(SAVED);
        assertThat(read(Files.readString(GOLDEN)).section(AuditKind.THREADS).items())
                .containsEntry(Audits.EVIL, 2L);
    }

    @Test
    void unknownKindIsIgnoredAndMissingKindIsUnseen() throws Exception {
        String text = Files.readString(GOLDEN).replace("seen\tflags\t", "seen\tcobwebs\t\nitem\t1\tx");
        assertThat(read(text).section(AuditKind.FLAGS).problem()).contains("did not read this kind");
        assertThat(read(text).section(AuditKind.THREADS)).isEqualTo(SAVED.section(AuditKind.THREADS));
    }

    @Test
    void fileWithNonAsciiBytesIsRefused() throws Exception {
        String text = Files.readString(GOLDEN).replace("it moves while", "it m\u00f6ves while");
        assertThatThrownBy(() -> read(text)).isInstanceOf(NotAnAudit.class).hasMessageContaining("not ASCII");
    }

    @Test
    void countsThatOverflowSaturateAtLongMax() throws Exception {
        String most = "item\t9223372036854775807\t\"main\"\n";
        Audit audit = read(Files.readString(GOLDEN).replace("item\t1\t\"main\"\n", most + most));
        assertThat(audit.section(AuditKind.THREADS).items()).containsEntry("\"main\"", Long.MAX_VALUE);
        assertThat(read(written(audit))).isEqualTo(audit);
    }

    @Test
    void fileTruncatedAnywhereIsRefused() throws Exception {
        String whole = Files.readString(GOLDEN);
        for (int length = 0; length < whole.length(); length += 7) {
            String cut = whole.substring(0, length);
            assertThatThrownBy(() -> read(cut)).as(cut).isInstanceOf(NotAnAudit.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "item\t1\tbefore any kind",
                "seen\tfiles\t\nitem\t0\tx",
                "seen\tfiles\t\nitem\t-1\tx",
                "seen\tfiles\t\nitem\t99999999999999999999\tx",
                "unseen\tfiles\twhy\nitem\t1\tx",
                "seen\tfiles\t\nitem\t1\t\\00",
                "seen\tfiles\t\nitem\t1\t\\zzzz",
                "seen",
                "process\tx\t1\tboot",
                "time\tyesterday",
                "\u00e9",
                "runtime"
            })
    void invalidLineIsRefusedWithItsNumber(String lines) {
        String text = "mayfly-audit/1\nprocess\t1\t2\tb\n" + lines + "\nend\n";
        assertThatThrownBy(() -> read(text)).isInstanceOf(NotAnAudit.class).hasMessageStartingWith("line ");
    }

    @Test
    void oversizedLineOrTooManyItemsAreRefused() {
        String line = "mayfly-audit/1\n" + "x".repeat(20_000) + "\n";
        assertThatThrownBy(() -> read(line)).isInstanceOf(NotAnAudit.class).hasMessageContaining("too long");
        StringBuilder many = new StringBuilder("mayfly-audit/1\nseen\tfiles\t\n");
        for (int i = 0; i <= Items.MAX_ITEMS; i++) {
            many.append("item\t1\t").append(i).append('\n');
        }
        assertThatThrownBy(() -> read(many.toString()))
                .isInstanceOf(NotAnAudit.class)
                .hasMessageContaining("more than 150000");
        assertThat(Audits.with(AuditKind.FILES, Map.of())
                        .section(AuditKind.FILES)
                        .isSeen())
                .isTrue();
    }
}
