package mayfly.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import mayfly.kit.Command;

/** What is expected of the words of the command. */
final class Said {
    private Said() {
    }

    /** A refusal: the documented exit code and word, nothing on stdout, no stack trace, no file. */
    static void refused(Command done, int exitCode, String word, Path folder) throws IOException {
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(exitCode);
        assertThat(done.stderr()).as(done.evidence()).contains("[" + word + "]");
        assertThat(done.stdout()).as(done.evidence()).isEmpty();
        noStackTrace(done);
        assertThat(files(folder)).as(done.evidence()).isEmpty();
    }

    /** A recording that came to its end and left exactly one file in its folder. */
    static String recorded(Command done, Path file) throws IOException {
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        noStackTrace(done);
        assertThat(files(file.getParent())).as(done.evidence()).containsExactly(file);
        return Files.readString(file);
    }

    static void noStackTrace(Command done) {
        assertThat(done.stderr()).as(done.evidence()).doesNotContain("\tat ", "Exception", "internal-error");
    }

    /** Everything in a folder. */
    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /** A setting of the kernel. Such a file must be read in one piece: the kernel does not go on in the middle. */
    static long setting(String name) throws IOException {
        return Long.parseLong(Files.readAllLines(Path.of("/proc/sys", name)).getFirst().strip());
    }

    /** What a page unpacks and shows. */
    static String unpacked(String page) throws IOException {
        Matcher packed = Pattern.compile("[A-Za-z0-9+/]{500,}={0,2}").matcher(page);
        assertThat(packed.find()).as("packed data in a page of " + page.length() + " characters").isTrue();
        var bytes = new ByteArrayInputStream(Base64.getDecoder().decode(packed.group()));
        try (var in = new InflaterInputStream(bytes, new Inflater(true))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** A number of what {@code record --json} prints. */
    static long number(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":\\s*(-?\\d+)").matcher(json);
        assertThat(found.find()).as(field + " in " + json).isTrue();
        return Long.parseLong(found.group(1));
    }

    /** Symbolic links below a folder go before JUnit looks at them: it warns of each. */
    static void removeLinks(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isSymbolicLink).toList()) {
                Files.delete(each);
            }
        }
    }
}
