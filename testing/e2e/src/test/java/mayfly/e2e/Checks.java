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

/** Assertions on the output of the command. */
final class Checks {
    private Checks() {}

    /** Asserts a refusal: the documented exit code and message id, nothing on stdout, no stack trace, no file. */
    static void refused(Command done, int exitCode, String word, Path folder) throws IOException {
        assertThat(done.exitCode()).as(done.evidence()).isEqualTo(exitCode);
        assertThat(done.stderr()).as(done.evidence()).contains("[" + word + "]");
        assertThat(done.stdout()).as(done.evidence()).isEmpty();
        noStackTrace(done);
        assertThat(files(folder)).as(done.evidence()).isEmpty();
    }

    /** Asserts a completed recording that left exactly one file in its folder. */
    static String recorded(Command done, Path file) throws IOException {
        assertThat(done.exitCode()).as(done.evidence()).isZero();
        noStackTrace(done);
        assertThat(files(file.getParent())).as(done.evidence()).containsExactly(file);
        return Files.readString(file);
    }

    static void noStackTrace(Command done) {
        assertThat(done.stderr()).as(done.evidence()).doesNotContain("\tat ", "Exception", "internal-error");
    }

    /** Returns all files in a folder. */
    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /** Reads a kernel setting with one read(2): the kernel does not continue such a file at an offset. */
    static long setting(String name) throws IOException {
        return Long.parseLong(
                Files.readAllLines(Path.of("/proc/sys", name)).getFirst().strip());
    }

    /** Returns the data that a page unpacks and displays. */
    static String unpacked(String page) throws IOException {
        Matcher packed = Pattern.compile("[A-Za-z0-9+/]{500,}={0,2}").matcher(page);
        assertThat(packed.find())
                .as("packed data in a page of " + page.length() + " characters")
                .isTrue();
        var bytes = new ByteArrayInputStream(Base64.getDecoder().decode(packed.group()));
        try (var in = new InflaterInputStream(bytes, new Inflater(true))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns a number from the output of {@code record --json}. */
    static long number(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":\\s*(-?\\d+)").matcher(json);
        assertThat(found.find()).as(field + " in " + json).isTrue();
        return Long.parseLong(found.group(1));
    }

    /** Removes symbolic links below a folder before JUnit finds them: it warns about each of them. */
    static void removeLinks(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.filter(Files::isSymbolicLink).toList()) {
                Files.delete(each);
            }
        }
    }
}
