package mayfly.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The libraries, as read by binutils. */
@Tag("slow")
class HostLibraryTest {
    private static final Pattern NEEDED = Pattern.compile("GLIBC_(\\d+)\\.(\\d+)");

    @TempDir
    private Path folder;

    private Path library;
    private Path launch;

    @BeforeEach
    void unpack() throws IOException {
        library = folder.resolve("library.so");
        launch = folder.resolve("launch.so");
        try (InputStream in = HostLibrary.open();
                InputStream small = HostLibrary.openLaunch()) {
            assumeTrue(in != null && small != null, "built without a C compiler");
            Files.copy(in, library);
            Files.copy(small, launch);
        }
    }

    private String run(String... command) throws IOException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            assumeTrue(false, "no binutils: " + e.getMessage());
            throw e;
        }
    }

    /** The library must load in old containers. */
    @Test
    void librariesNeedNoGlibcSymbolAfter217() throws IOException {
        noSymbolIsNewer(library);
        noSymbolIsNewer(launch);
    }

    private void noSymbolIsNewer(Path file) throws IOException {
        Matcher needed = NEEDED.matcher(run("objdump", "-T", file.toString()));
        int count = 0;
        while (needed.find()) {
            assertThat(List.of(Integer.parseInt(needed.group(1)), Integer.parseInt(needed.group(2))))
                    .as(needed.group())
                    .satisfies(version ->
                            assertThat(version.get(0) * 1000 + version.get(1)).isLessThanOrEqualTo(2017));
            count++;
        }
        assertThat(count).isPositive();
    }

    @Test
    void librariesAreBuiltWithHardeningOptions() throws IOException {
        for (Path file : List.of(library, launch)) {
            assertThat(run("objdump", "-T", file.toString()))
                    .contains("__stack_chk_fail")
                    .containsPattern("__\\w+_chk\\b");
            assertThat(run("readelf", "-lW", file.toString()))
                    .contains("GNU_RELRO")
                    .containsPattern("GNU_STACK .* RW ");
            assertThat(run("readelf", "-dW", file.toString())).contains("NOW");
        }
    }

    /** No instruction of the host may run once the library is closed. */
    @Test
    void lastHostThreadLeavesTheLibraryByAJump() throws IOException {
        String code = run("objdump", "-d", "--no-show-raw-insn", library.toString());
        int start = code.indexOf("<worker_run>:");
        assertThat(start).isPositive();
        String function = code.substring(start, code.indexOf("\n\n", start));
        assertThat(function).containsPattern("jmp +\\*%r").doesNotContain("ret").containsOnlyOnce("call ");
    }

    /** A lookup by another library could find an exported symbol of the same name. */
    @Test
    void eachLibraryExportsItsEntryPointOnly() throws IOException {
        assertThat(exports(library)).containsExactly("Agent_OnAttach");
        assertThat(exports(launch)).containsExactly("Agent_OnLoad");
    }

    private List<String> exports(Path file) throws IOException {
        return run("nm", "-D", "--defined-only", file.toString())
                .lines()
                .map(line -> line.replaceFirst(".* ", ""))
                .toList();
    }
}
