package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import mayfly.binary.demangle.Demangler;

/** Any name yields a result of bounded length. */
class DemanglerFuzzTest {
    private static final int MAX_LENGTH = 1 << 17;

    @FuzzTest
    void demangle(byte[] name) {
        String mangled = new String(name, StandardCharsets.ISO_8859_1);
        assertThat(Demangler.demangle(mangled)).hasSizeLessThan(mangled.length() + MAX_LENGTH);
        assertThat(Demangler.demangleName(mangled)).hasSizeLessThan(mangled.length() + MAX_LENGTH);
    }
}
