package mayfly.binary.demangle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import mayfly.binary.Oracle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names are printed as c++filt prints them. */
public class DemanglerTest {

    /**
     * Names with the output of c++filt of binutils 2.40: some for each construct, and every 190th name of two libjvms.
     */
    private static List<String[]> golden() throws Exception {
        return golden("names.tsv");
    }

    /** Returns mangled and demangled names from a golden file. */
    public static List<String[]> golden(String file) throws Exception {
        List<String[]> names = new ArrayList<>();
        try (InputStream in = DemanglerTest.class.getResourceAsStream("/golden/demangle/" + file);
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
            lines.lines().forEach(line -> names.add(line.split("\t", 2)));
        }
        return names;
    }

    @Test
    void demangledCppNamesEqualGoldenFile() throws Exception {
        List<String> different = new ArrayList<>();
        for (String[] name : golden()) {
            if (!Demangler.demangle(name[0]).equals(name[1])) {
                different.add(name[0] + "\n ours   " + Demangler.demangle(name[0]) + "\n theirs " + name[1]);
            }
        }
        assertThat(golden()).hasSizeGreaterThan(450);
        assertThat(different).isEmpty();
    }

    /** Every symbol of this machine's libraries; at most one in a thousand may differ. */
    @Test
    @Tag("slow")
    void demangledCppNamesEqualCxxfilt(@TempDir Path directory) throws Exception {
        Set<String> names = new LinkedHashSet<>();
        for (Path file : Oracle.libraries()) {
            for (String option : List.of("-a", "-D")) {
                Oracle.lines(
                        line -> {
                            String name = line.substring(line.lastIndexOf(' ') + 1);
                            if (name.startsWith("_Z")) {
                                names.add(name);
                            }
                        },
                        "nm",
                        "--without-symbol-versions",
                        option,
                        file.toString());
            }
        }
        Path list = Files.write(directory.resolve("names"), names);
        List<String> theirs = Oracle.lines("sh", "-c", "c++filt < " + list);
        assertThat(theirs).hasSameSizeAs(names);
        List<String> different = new ArrayList<>();
        int i = 0;
        for (String name : names) {
            if (!Demangler.demangle(name).equals(theirs.get(i++))) {
                different.add(name);
            }
        }
        assertThat(different.size()).as("different: %s", different).isLessThanOrEqualTo(names.size() / 1000);
    }

    @Test
    void demangledFrameNamesHaveNoParameters() {
        assertThat(Demangler.demangleName("_ZN2os13javaTimeNanosEv")).isEqualTo("os::javaTimeNanos");
        assertThat(Demangler.demangleName("_ZN13SharedRuntime21resolve_static_call_CEP10JavaThread"))
                .isEqualTo("SharedRuntime::resolve_static_call_C");
        assertThat(Demangler.demangleName("_ZN3FooC2Ev.isra.0.cold")).isEqualTo("Foo::Foo");
        assertThat(Demangler.demangleName("_Z1fIiEDTplfp_fp_ET_")).isEqualTo("f<int>");
        assertThat(Demangler.demangleName("_ZNK3Foo3barEv")).isEqualTo("Foo::bar");
    }

    @Test
    void legacyRustNamesAreDemangledWithoutHash() {
        assertThat(Demangler.demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"))
                .isEqualTo("core::fmt::Formatter::pad");
        assertThat(Demangler.demangleName("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.3821"))
                .isEqualTo("core::fmt::Formatter::pad");
        assertThat(Demangler.demangle("_ZN6shapes9g$uf6$del7_$u3b4$15_$u6771$$u4eac$17h6689a11731e24d27E"))
                .isEqualTo("shapes::g\u00f6del::\u03b4::\u6771\u4eac");
        assertThat(Demangler.demangle("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
                        + "17h930b740aa94f1d3aE"))
                .isEqualTo("<Test + 'static as foo::Bar<Test>>::bar");
    }

    @Test
    @Tag("slow")
    void damagedCppNamesAreDemangledOrUnchanged() throws Exception {
        damagedAreAnswered(golden(), "NSTIJEZKPRODF0123456789_aCLXr");
    }

    /**
     * Asserts that damaged names have a result, in limited time. The letters are those with a meaning in the mangling.
     */
    public static void damagedAreAnswered(List<String[]> names, String letters) {
        long seed = Long.getLong("mayfly.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int rounds = Boolean.getBoolean("mayfly.deep") ? 2_000_000 : 60_000;
        for (int i = 0; i < rounds; i++) {
            StringBuilder name = new StringBuilder(names.get(random.nextInt(names.size()))[0]);
            for (int changes = 1 + random.nextInt(4); changes > 0 && name.length() > 3; changes--) {
                int at = 2 + random.nextInt(name.length() - 2);
                switch (random.nextInt(4)) {
                    case 0 -> name.setCharAt(at, letters.charAt(random.nextInt(letters.length())));
                    case 1 -> name.deleteCharAt(at);
                    case 2 -> name.insert(at, name.substring(2, at));
                    default -> name.setLength(at);
                }
            }
            String damaged = name.substring(0, Math.min(name.length(), 4000));
            assertThat(Demangler.demangle(damaged))
                    .as("seed %d round %d: %s", seed, i, damaged)
                    .isNotNull();
        }
    }

    @Test
    void demanglingOfACppNameThatExpandsWithoutLimitEnds() {
        StringBuilder doubling = new StringBuilder("_Z1f1AIiE");
        for (int i = 0; i < 200; i++) {
            doubling.append("1AIS")
                    .append(i == 0 ? "" : Integer.toString(i - 1, 36).toUpperCase())
                    .append("_S_E");
        }
        assertThat(Demangler.demangle(doubling.toString())).isNotNull();
        String deep = "_Z1f" + "P".repeat(30_000) + "i";
        assertThat(Demangler.demangle(deep)).isEqualTo(deep);
        String packs = "_Z1fIJ" + "J".repeat(3000) + "E".repeat(3000) + "EEvDpT_";
        assertThat(Demangler.demangle(packs)).isNotNull();
    }
}
