package mayfly.binary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import mayfly.binary.demangle.Demangler;
import mayfly.binary.dwarf.CallFrameInfo;
import mayfly.binary.dwarf.CfaRule;
import mayfly.binary.dwarf.DwarfExpression;
import mayfly.binary.dwarf.UnwindRow;
import mayfly.binary.elf.ElfFile;
import mayfly.binary.elf.ElfSymbols;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A file with arbitrary bytes is read, or rejected with {@link BadFormat}. */
class DamagedFileTest {
    private static final int ROUNDS = Boolean.getBoolean("mayfly.deep") ? 100_000 : 1_500;
    private static final int MAX_LENGTH = 2_000_000;

    @Test
    void filesThatAreNotElfFilesAreRefusedWithAReason() {
        assertRefused(new byte[0], "not an ELF file");
        assertRefused(new byte[64], "not an ELF file");
        byte[] wrongClass = new byte[64];
        wrongClass[0] = 0x7f;
        wrongClass[1] = 'E';
        wrongClass[2] = 'L';
        wrongClass[3] = 'F';
        wrongClass[4] = 1;
        wrongClass[5] = 1;
        assertRefused(wrongClass, "not 64-bit little-endian");
        wrongClass[4] = 2;
        wrongClass[16] = 3;
        wrongClass[18] = (byte) 183;
        assertRefused(wrongClass, "not an executable or library for this CPU (type 3, machine 183, not 62)");
    }

    private static void assertRefused(byte[] bytes, String why) {
        assertThatThrownBy(() -> ElfFile.parse("file", MemorySegment.ofArray(bytes), Oracle.X86_64))
                .isInstanceOf(BadFormat.class)
                .hasMessageContaining(why)
                .hasMessageStartingWith("file");
    }

    @Test
    @Tag("slow")
    void damagedElfFilesAreReadOrRefused() throws Exception {
        long seed = Long.getLong("mayfly.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Path file = Oracle.libraries().stream()
                .filter(f -> f.toFile().length() < MAX_LENGTH)
                .toList()
                .getLast();
        byte[] good = Files.readAllBytes(file);
        ElfFile elf = ElfFile.parse("good", MemorySegment.ofArray(good), Oracle.X86_64);
        int answered = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] bad = good.clone();
            damage(bad, elf, random);
            int length = random.nextInt(8) == 0 ? random.nextInt(bad.length) : bad.length;
            try {
                answered += readEverything(MemorySegment.ofArray(bad).asSlice(0, length), elf, random);
            } catch (RuntimeException | Error e) {
                fail("seed " + seed + " round " + i, e);
            }
        }
        assertThat(answered).as("seed %d", seed).isPositive();
    }

    private static void damage(byte[] bytes, ElfFile elf, SplittableRandom random) {
        int changes = 1 + random.nextInt(60);
        for (int c = 0; c < changes; c++) {
            long from = 0;
            long size = 64 + 56 * 12;
            if (random.nextInt(4) > 0) {
                ElfFile.Section s =
                        elf.sections().get(random.nextInt(elf.sections().size()));
                from = s.offset();
                size = s.type() == 8 ? 1 : Math.max(1, s.size());
            } else if (random.nextBoolean()) {
                size = Math.min(bytes.length, 64L * elf.sections().size());
                from = bytes.length - size;
            }
            int at = (int) Math.min(bytes.length - 1, from + random.nextLong(size));
            bytes[at] = random.nextInt(3) == 0 ? (byte) 0xff : (byte) random.nextInt(256);
        }
    }

    private static int readEverything(MemorySegment bytes, ElfFile good, SplittableRandom random) {
        int rows = 0;
        try {
            ElfFile elf = ElfFile.parse("bad", bytes, Oracle.X86_64);
            elf.buildId();
            elf.debugLink();
            elf.read(random.nextLong(1 << 22), new byte[64]);
            try {
                ElfSymbols symbols = elf.symbols();
                symbols.addressOf("no such symbol");
                symbols.objectsWithPrefix("_Z");
                for (int i = 0; i < 20 && symbols.functionCount() > 0; i++) {
                    ElfSymbols.Symbol symbol = symbols.function(random.nextInt(symbols.functionCount()));
                    symbols.functionAt(symbol.address() + random.nextInt(100));
                    Demangler.demangle(symbol.name());
                }
            } catch (BadFormat e) {
                assertThat(e).hasMessageContaining("bad");
            }
            CallFrameInfo frames = CallFrameInfo.of(elf, Oracle.REGISTERS);
            for (int i = 0; i < 30; i++) {
                try {
                    long at = good.symbols()
                            .function(random.nextInt(good.symbols().functionCount()))
                            .address();
                    UnwindRow row = frames.rowAt(at + random.nextInt(60));
                    rows += row == null ? 0 : 1;
                    evaluate(row, random);
                } catch (BadFormat e) {
                    assertThat(e.getMessage()).isNotEmpty();
                }
            }
        } catch (BadFormat e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
        return rows;
    }

    private static void evaluate(@org.jspecify.annotations.Nullable UnwindRow row, SplittableRandom random)
            throws BadFormat {
        if (row != null && row.cfa() instanceof CfaRule.Computed computed) {
            try {
                computed.expression().evaluate(new DwarfExpression.Frame() {
                    @Override
                    public long register(int number) {
                        return random.nextLong();
                    }

                    @Override
                    public long memory(long address, int size) throws DwarfExpression.Unavailable {
                        throw DwarfExpression.Unavailable.MEMORY;
                    }
                });
            } catch (DwarfExpression.Unavailable e) {
                assertThat(e).isSameAs(DwarfExpression.Unavailable.MEMORY);
            }
        }
    }

    /** Expressions of random bytes terminate, with a value or a {@link BadFormat}. */
    @Test
    @Tag("slow")
    void randomDwarfExpressionsEndInAValueOrARefusal() {
        long seed = Long.getLong("mayfly.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int values = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] code = new byte[1 + random.nextInt(24)];
            random.nextBytes(code);
            try {
                new DwarfExpression(code, Oracle.REGISTERS)
                        .evaluate(
                                new DwarfExpression.Frame() {
                                    @Override
                                    public long register(int number) {
                                        assertThat(number).isBetween(0, 16);
                                        return number;
                                    }

                                    @Override
                                    public long memory(long address, int size) {
                                        return address * size;
                                    }
                                },
                                7);
                values++;
            } catch (BadFormat | DwarfExpression.Unavailable e) {
                assertThat(e.getMessage()).isNotEmpty();
            } catch (RuntimeException e) {
                fail("seed " + seed + " expression " + java.util.HexFormat.of().formatHex(code), e);
            }
        }
        assertThat(values).isPositive();
    }
}
