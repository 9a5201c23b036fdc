package mayfly.binary;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import mayfly.binary.demangle.Demangler;
import mayfly.binary.demangle.DemanglerTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of Rust's v0 mangling. */
class RustNameTest {
    /** The number of wrong results of c++filt: it misprints apostrophes and the last digit of 128-bit constants. */
    private static final int WRONG_IN_CXXFILT = 2;

    /** Symbols of golden/demangle/shapes.rs, from rustc 1.95 and c++filt 2.40. */
    private static List<String[]> golden() throws Exception {
        return DemanglerTest.golden("rust.tsv");
    }

    @Test
    void demangledRustNamesEqualGoldenFile() throws Exception {
        assertThat(golden())
                .hasSizeGreaterThan(100)
                .allSatisfy(name -> assertThat(Demangler.demangle(name[0])).isEqualTo(name[1]));
    }

    @Test
    @Tag("slow")
    void demangledRustNamesEqualCxxfilt(@TempDir Path directory) throws Exception {
        List<String> names = golden().stream().map(name -> name[0]).toList();
        Path list = Files.write(directory.resolve("names"), names);
        List<String> theirs = Oracle.lines("sh", "-c", "c++filt < " + list);
        List<String> different = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (!Demangler.demangle(names.get(i)).equals(theirs.get(i))) {
                different.add(names.get(i));
            }
        }
        assertThat(different).hasSizeLessThanOrEqualTo(WRONG_IN_CXXFILT);
    }

    /** The examples of RFC 2603 that are complete names, and examples for the productions of its grammar. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        _RNvCs1234_7mycrate3foo                      | mycrate::foo
        _RNvCs1234_7mycrate3foo.llvm.9D1C9369        | mycrate::foo
        _RNvNtCs1234_7mycrate3foo3bar                | mycrate::foo::bar
        _RNvMCs1234_7mycrateINtB2_3FoopE3bar         | <mycrate::Foo<_>>::bar
        _RNvXCs1234_7mycrateNtB2_3FooNtB2_3Bar3baz   | <mycrate::Foo as mycrate::Bar>::baz
        _RNCNvCs1234_7mycrate4mains0_0               | mycrate::main::{closure#2}
        _RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_         | cc::spawn::{closure#0}::{closure#0}
        _RNSNvCs1234_7mycrate3foo6vtable             | mycrate::foo::{shim:vtable#0}
        _RINvNtC3std3mem8align_ofjdE                 | std::mem::align_of::<usize, f64>
        _RINvCs1234_7mycrate3fooTtEhuE               | "mycrate::foo::<(u16,), u8, ()>"
        _RINvCs1234_7mycrate3fooAtj8_SaE             | "mycrate::foo::<[u16; 8], [i8]>"
        _RINvCs1234_7mycrate3fooRL_eQL_ePhOhE        | "mycrate::foo::<&str, &mut str, *const u8, *mut u8>"
        _RINvCs1234_7mycrate3fooFUKCRhEzE            | "mycrate::foo::<unsafe extern ""C"" fn(&u8) -> !>"
        _RINvCs1234_7mycrate3fooFG_RL0_hEuE          | mycrate::foo::<for<'a> fn(&'a u8)>
        _RINvCs1234_7mycrate3fooFKu8system_1EuE      | _RINvCs1234_7mycrate3fooFKu8system_1EuE
        _RINvCs1234_7mycrate3fooDNtC3std4SendNtBo_4SyncEL_E | mycrate::foo::<dyn std::Send + std::Sync>
        _RINvCs1234_7mycrate3fooDNtC3std4Iterp4ItemhEL_E | mycrate::foo::<dyn std::Iter<Item = u8>>
        _RINvCs1234_7mycrate3fooL_KpKb1_Kc61_Kj7b_Kan80_E | "mycrate::foo::<'_, _, true, 'a', 123, -128>"
        _RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y | utf8_idents::საჭმელად_გემრიელი_სადილი
        _RNvNtC7mycrateu8gdel_5qa6escher             | mycrate::gödel::escher
        """)
    void examplesOfRfc2603AreDemangled(String mangled, String name) {
        assertThat(Demangler.demangleName(mangled)).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource({
        "_R",
        "_R1NvC1a1b",
        "_RNvC1a1",
        "_RNvC1a9b",
        "_RNvB_1a",
        "_RNvB0_1a",
        "_RNvCsZZZZZZZZZZZZZ_1a1b",
        "_RB_",
        "_RIC1aKb2_E",
        "_RIC1aKcd800_E",
        "_RIC1aKc110000_E",
        "_RIC1aKjG_E",
        "_RIC1aRL0_hE",
        "_RNvC1au3ZZZ",
        "_RC1ax"
    })
    void textThatIsNotARustNameIsUnchanged(String mangled) {
        assertThat(Demangler.demangle(mangled)).isEqualTo(mangled);
    }

    /** Back references to back references, whose expansion has no limit. */
    @Test
    void rustNameThatExpandsWithoutLimitIsUnchanged() {
        StringBuilder doubling = new StringBuilder("INvC1a1b");
        int before = doubling.length();
        doubling.append("T" + "h".repeat(40) + "E");
        for (int i = 0; i < 40; i++) {
            String back = "B" + (before == 0 ? "_" : base62(before - 1) + "_");
            before = doubling.length();
            doubling.append("T").append(back).append(back).append("E");
        }
        String mangled = "_R" + doubling + "E";
        assertThat(Demangler.demangle(mangled)).isEqualTo(mangled);
        String deep = "_RINvC1a1b" + "R".repeat(30_000) + "hE";
        assertThat(Demangler.demangle(deep)).isEqualTo(deep);
        String lifetimes = "_RINvC1a1bFGzzzzz_EuE";
        assertThat(Demangler.demangle(lifetimes)).isEqualTo(lifetimes);
    }

    private static String base62(int n) {
        String digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        return n < 62 ? digits.substring(n, n + 1) : base62(n / 62) + digits.charAt(n % 62);
    }

    @Test
    @Tag("slow")
    void damagedRustNamesAreDemangledOrUnchanged() throws Exception {
        DemanglerTest.damagedAreAnswered(golden(), "NCIMXYBEsuRQPOFDTASGLKpn_0123456789");
    }
}
