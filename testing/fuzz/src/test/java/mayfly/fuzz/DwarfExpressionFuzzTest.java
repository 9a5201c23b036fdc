package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import mayfly.arch.x86.X86_64;
import mayfly.binary.BadFormat;
import mayfly.binary.dwarf.DwarfExpression;

/** Any expression ends with a value or is refused, and requests only existing registers and whole numbers. */
class DwarfExpressionFuzzTest {
    private static final int REGISTERS = X86_64.ARCHITECTURE.registers();
    private static final DwarfExpression.Frame FRAME = new DwarfExpression.Frame() {
        @Override
        public long register(int number) throws DwarfExpression.Unavailable {
            assertThat(number).isBetween(0, REGISTERS - 1);
            if (number == 1) {
                throw DwarfExpression.Unavailable.REGISTER;
            }
            return number;
        }

        @Override
        public long memory(long address, int size) throws DwarfExpression.Unavailable {
            assertThat(size).isIn(1, 2, 4, 8);
            if ((address & 1) != 0) {
                throw DwarfExpression.Unavailable.MEMORY;
            }
            return address * size;
        }
    };

    @FuzzTest
    void evaluate(byte[] code) {
        try {
            new DwarfExpression(code, REGISTERS).evaluate(FRAME, 7);
        } catch (BadFormat | DwarfExpression.Unavailable e) {
            assertThat(e).hasMessageMatching("(?s).+");
        }
    }
}
