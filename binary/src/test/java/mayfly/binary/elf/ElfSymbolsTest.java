package mayfly.binary.elf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import mayfly.binary.Oracle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Symbols equal those that nm prints. */
@Tag("slow")
class ElfSymbolsTest {

    static List<Path> libraries() {
        return Oracle.libraries();
    }

    /** The libjvms: only they export the tables of the VM. */
    static List<Path> virtualMachines() {
        return Oracle.libraries().stream()
                .filter(file -> file.endsWith("libjvm.so"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void functionSymbolsEqualNm(Path file) throws Exception {
        Map<Long, Set<String>> theirs = new HashMap<>();
        for (String option : List.of("-a", "-D")) {
            Oracle.lines(
                    line -> {
                        String[] cells = line.split(" ");
                        if (cells.length >= 3 && "tTwWiu".contains(cells[cells.length - 2]) && !cells[0].isEmpty()) {
                            theirs.computeIfAbsent(Long.parseUnsignedLong(cells[0], 16), a -> new HashSet<>())
                                    .add(cells[cells.length - 1]);
                        }
                    },
                    "nm",
                    "--without-symbol-versions",
                    option,
                    file.toString());
        }
        ElfSymbols symbols = Oracle.elf(file).symbols();
        assertThat(symbols.functionCount()).isGreaterThan(50);
        for (int i = 0; i < symbols.functionCount(); i++) {
            ElfSymbols.Symbol ours = symbols.function(i);
            assertThat(theirs.getOrDefault(ours.address(), Set.of())).contains(ours.name());
            if (ours.size() > 0) {
                assertThat(symbols.functionAt(ours.address() + ours.size() - 1)).isNotNull();
            }
            assertThat(symbols.indexAt(ours.address())).isEqualTo(i);
        }
        // nm also prints labels without a type, which are not functions.
        assertThat(symbols.functionCount()).isBetween(theirs.size() * 9 / 10, theirs.size());
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void buildIdEqualsReadelf(Path file) throws Exception {
        List<String> notes = Oracle.lines("readelf", "-n", file.toString());
        String theirs = notes.stream()
                .filter(l -> l.contains("Build ID:"))
                .map(l -> l.substring(l.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
        assertThat(Oracle.elf(file).buildId()).isEqualTo(theirs);
    }

    @ParameterizedTest
    @MethodSource("virtualMachines")
    void exportedDataIsFoundByName(Path file) throws Exception {
        ElfFile elf = Oracle.elf(file);
        List<String> nm = Oracle.lines("nm", "-D", file.toString());
        String line = nm.stream()
                .filter(l -> l.endsWith(" gHotSpotVMStructs") || l.contains(" gHotSpotVMStructs@"))
                .findFirst()
                .orElseThrow();
        long theirs = Long.parseUnsignedLong(line.substring(0, 16), 16);
        assertThat(elf.symbols().addressOf("gHotSpotVMStructs")).hasValue(theirs);
        assertThat(elf.symbols().addressOf("gHotSpotVMStruct")).isEmpty();
        assertThat(elf.symbols().objectsWithPrefix("_ZN12StubRoutines"))
                .hasSizeGreaterThan(50)
                .allSatisfy(s -> assertThat(s.name()).startsWith("_ZN12StubRoutines"));
    }
}
