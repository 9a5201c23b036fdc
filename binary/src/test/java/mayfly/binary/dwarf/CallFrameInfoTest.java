package mayfly.binary.dwarf;

import static mayfly.binary.Oracle.REGISTERS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import mayfly.binary.BadFormat;
import mayfly.binary.Oracle;
import mayfly.binary.elf.ElfFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows equal those that readelf prints, at the first and the last address of each. */
@Tag("slow")
class CallFrameInfoTest {
    private static final List<String> NAMES = List.of(
            "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
            "r15", "ra");
    private static final int MAX_DIFFERENCES = 5;

    static List<Path> libraries() {
        return Oracle.libraries();
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void unwindRowsEqualReadelf(Path file) throws Exception {
        Comparison comparison = new Comparison(CallFrameInfo.of(Oracle.elf(file), REGISTERS), stride(file));
        Oracle.lines(comparison, "readelf", "--debug-dump=frames-interp", file.toString());
        comparison.endOfFde();
        assertThat(comparison.differences).isEmpty();
        assertThat(comparison.rows).isGreaterThan(100);
    }

    /** An index of all entries has the same rows as the search table of the header. */
    @ParameterizedTest
    @MethodSource("libraries")
    void rowsAreFoundWithoutTheSearchTable(Path file) throws Exception {
        byte[] bytes = java.nio.file.Files.readAllBytes(file);
        ElfFile whole = ElfFile.parse("whole", java.lang.foreign.MemorySegment.ofArray(bytes), Oracle.X86_64);
        ElfFile.Segment header = whole.ehFrameHeader();
        assertThat(header).isNotNull();
        byte[] without = bytes.clone();
        without[(int) header.offset() + 2] = (byte) PointerEncoding.OMIT;
        ElfFile bare = ElfFile.parse("bare", java.lang.foreign.MemorySegment.ofArray(without), Oracle.X86_64);
        assertSameRows(bare, whole);
    }

    /** A file without section headers, as in memory, has the same rows. */
    @ParameterizedTest
    @MethodSource("libraries")
    void rowsAreFoundWithoutSectionHeaders(Path file) throws Exception {
        byte[] bytes = java.nio.file.Files.readAllBytes(file);
        ElfFile whole = ElfFile.parse("whole", java.lang.foreign.MemorySegment.ofArray(bytes), Oracle.X86_64);
        byte[] without = bytes.clone();
        java.util.Arrays.fill(without, 40, 48, (byte) 0);
        ElfFile bare = ElfFile.parse("bare", java.lang.foreign.MemorySegment.ofArray(without), Oracle.X86_64);
        assertThat(bare.sections()).isEmpty();
        assertSameRows(bare, whole);
    }

    private static void assertSameRows(ElfFile actual, ElfFile expected) throws Exception {
        CallFrameInfo of = CallFrameInfo.of(actual, REGISTERS);
        CallFrameInfo from = CallFrameInfo.of(expected, REGISTERS);
        for (int i = 0; i < expected.symbols().functionCount(); i += 97) {
            long at = expected.symbols().function(i).address();
            assertThat(of.rowAt(at)).isEqualTo(from.rowAt(at));
        }
    }

    private static int stride(Path file) {
        return Boolean.getBoolean("mayfly.deep") || file.toFile().length() < 4_000_000 ? 1 : 17;
    }

    /** Reads the output of readelf and compares each row. */
    private static final class Comparison implements Consumer<String> {
        private final CallFrameInfo frames;
        private final int stride;
        private final List<String> differences = new ArrayList<>();
        private List<String> columns = List.of();
        private List<String[]> table = new ArrayList<>();
        private boolean wanted;
        private long end;
        private int fdes;
        private int rows;

        Comparison(CallFrameInfo frames, int stride) {
            this.frames = frames;
            this.stride = stride;
        }

        @Override
        public void accept(String line) {
            if (line.contains(" FDE ")) {
                endOfFde();
                wanted = fdes++ % stride == 0;
                end = Long.parseUnsignedLong(
                        line.substring(line.indexOf("..") + 2).strip(), 16);
            } else if (line.contains(" CIE ") || line.contains(" ZERO ")) {
                endOfFde();
                wanted = false;
            } else if (wanted && line.strip().startsWith("LOC")) {
                columns = List.of(line.strip().split("\\s+"));
            } else if (wanted && line.length() > 16 && Character.digit(line.charAt(0), 16) >= 0) {
                // A register is printed as "r5 (rdi)".
                table.add(line.strip().replaceAll("\\br\\d+ \\((\\w+)\\)", "$1").split("\\s+"));
            }
        }

        void endOfFde() {
            for (int i = 0; wanted && i < table.size(); i++) {
                long from = Long.parseUnsignedLong(table.get(i)[0], 16);
                long to = i + 1 < table.size() ? Long.parseUnsignedLong(table.get(i + 1)[0], 16) : end;
                if (from < to) {
                    // The first query computes the row, the second one finds it in the cache.
                    boolean lastFirst = (rows & 1) != 0;
                    compare(lastFirst ? to - 1 : from, table.get(i));
                    compare(lastFirst ? from : to - 1, table.get(i));
                    rows++;
                }
            }
            table = new ArrayList<>();
            wanted = false;
        }

        private void compare(long at, String[] cells) {
            String ours;
            try {
                UnwindRow row = frames.rowAt(at);
                ours = row == null ? "no entry" : printed(row);
            } catch (BadFormat e) {
                ours = e.getMessage();
            }
            StringBuilder theirs = new StringBuilder(cells[1]);
            for (int c = 2; c < columns.size(); c++) {
                theirs.append(' ').append(columns.get(c)).append('=').append(cells[c]);
            }
            if (!ours.contentEquals(theirs) && differences.size() < MAX_DIFFERENCES) {
                differences.add(Long.toHexString(at) + ": " + ours + " but readelf: " + theirs);
            }
        }

        private String printed(UnwindRow row) {
            StringBuilder text = new StringBuilder(
                    switch (row.cfa()) {
                        case CfaRule.RegisterOffset r -> NAMES.get(r.register()) + signed(r.offset());
                        case CfaRule.Computed c -> "exp";
                    });
            for (int c = 2; c < columns.size(); c++) {
                int register = NAMES.indexOf(columns.get(c));
                text.append(' ')
                        .append(columns.get(c))
                        .append('=')
                        .append(register < 0 ? "u" : rule(row.rule(register)));
            }
            return text.toString();
        }

        private static String rule(RegisterRule rule) {
            return switch (rule) {
                case RegisterRule.Unspecified u -> "u";
                case RegisterRule.Undefined u -> "u";
                case RegisterRule.SameValue s -> "s";
                case RegisterRule.Offset o -> "c" + signed(o.offset());
                case RegisterRule.ValOffset v -> "v" + signed(v.offset());
                case RegisterRule.Register r -> NAMES.get(r.register());
                case RegisterRule.Expression e -> "exp";
                case RegisterRule.ValExpression e -> "vexp";
            };
        }

        private static String signed(long n) {
            return n < 0 ? Long.toString(n) : "+" + n;
        }
    }
}
