package mayfly.host.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

class CodeRecordTest {
    /** Reads a class file as JVMTI gives the class: the constant pool, and the bytecodes of each method. */
    private static CodeRecord record(byte[] bytes) throws MalformedCode {
        ClassFile file = ClassFile.parse(bytes);
        Map<String, byte[]> methods = new HashMap<>();
        for (ClassFile.Method method : file.methods()) {
            if (method.code() != null) {
                int begin = method.code().begin() + 14;
                int length = (bytes[begin - 2] & 0xff) << 8 | bytes[begin - 1] & 0xff;
                methods.put(method.key(), Arrays.copyOfRange(bytes, begin, begin + length));
            }
        }
        int count = ConstantPool.unsigned2(bytes, file.pool().begin());
        return CodeRecord.of(
                count,
                Arrays.copyOfRange(bytes, file.pool().begin() + 2, file.pool().end()),
                methods);
    }

    /** Writes a class with a new constant pool, in which each constant has another index. */
    private static byte[] withOtherIndices(byte[] bytes) {
        ClassWriter writer = new ClassWriter(0);
        for (int i = 0; i < 300; i++) {
            int unused = writer.newUTF8("other " + i);
        }
        new ClassReader(bytes).accept(new ClassVisitor(Opcodes.ASM9, writer) {}, 0);
        return writer.toByteArray();
    }

    @Test
    void sameCodeWithOtherIndicesIsEqual() throws Exception {
        byte[] bytes = GeneratedMethods.classFile(61, "(I)J", GeneratedMethods::wideVariables);
        assertThat(record(bytes).differenceTo(record(bytes))).isEmpty();
        byte[] samples = ProbedClass.bytes(ProbedSamples.class);
        assertThat(record(samples).differenceTo(record(samples))).isEmpty();
        byte[] invokes = GeneratedMethods.classFile(61, "(I)I", code -> {
            code.visitVarInsn(Opcodes.ILOAD, 0);
            code.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Math", "abs", "(I)I", false);
            code.visitInsn(Opcodes.IRETURN);
        });
        byte[] moved = withOtherIndices(invokes);
        assertThat(record(invokes).differenceTo(record(moved))).isEmpty();
        assertThat(record(moved).differenceTo(record(invokes))).isEmpty();
    }

    @Test
    void probesAreADifferenceAndAreFound() throws Exception {
        byte[] original = ProbedClass.bytes(ConcurrentHashMap.class);
        byte[] probed =
                ProbeCode.insert(original, Map.of("mappingCount()J", 12)).classFile();
        assertThat(probed).isNotNull();
        assertThat(record(original).hasProbe()).isFalse();
        assertThat(record(probed).hasProbe()).isTrue();
        assertThat(record(original).differenceTo(record(probed)))
                .isEqualTo(Optional.of(new CodeDifference("mappingCount()J", 0)));
    }

    private static byte[] calling(String owner, String name, int constant) {
        return GeneratedMethods.classFile(61, "(I)I", code -> {
            code.visitVarInsn(Opcodes.ILOAD, 0);
            code.visitMethodInsn(Opcodes.INVOKESTATIC, owner, name, "(I)I", false);
            code.visitLdcInsn(constant);
            code.visitInsn(Opcodes.IADD);
            code.visitInsn(Opcodes.IRETURN);
        });
    }

    @Test
    void firstInstructionThatDiffersIsReported() throws Exception {
        CodeRecord record = record(calling("A", "a", 100_000));
        assertThat(record.differenceTo(record(calling("A", "a", 100_000)))).isEmpty();
        assertThat(record.differenceTo(record(calling("B", "a", 100_000)))).contains(new CodeDifference("run(I)I", 1));
        assertThat(record.differenceTo(record(calling("A", "b", 100_000)))).contains(new CodeDifference("run(I)I", 1));
        assertThat(record.differenceTo(record(calling("A", "a", 100_001)))).contains(new CodeDifference("run(I)I", 4));
    }

    @Test
    void codeThatEndsEarlierOrLaterDiffersAtThatEnd() throws Exception {
        byte[] pool = {};
        CodeRecord one = CodeRecord.of(1, pool, Map.of("run()V", new byte[] {0, (byte) 0xb1}));
        CodeRecord longer = CodeRecord.of(1, pool, Map.of("run()V", new byte[] {0, (byte) 0xb1, 0}));
        assertThat(one.differenceTo(longer)).contains(new CodeDifference("run()V", 2));
        assertThat(longer.differenceTo(one)).contains(new CodeDifference("run()V", 2));
    }

    @Test
    void methodThatOnlyOneStateHasIsADifference() throws Exception {
        byte[] code = {(byte) 0xb1};
        CodeRecord one = CodeRecord.of(1, new byte[0], Map.of("a()V", code));
        CodeRecord two = CodeRecord.of(1, new byte[0], Map.of("a()V", code, "b()V", code));
        CodeDifference expected = new CodeDifference("b()V", CodeDifference.NO_OFFSET);
        assertThat(one.differenceTo(two)).contains(expected);
        assertThat(two.differenceTo(one)).contains(expected);
    }

    @Test
    void eachClassOfTheJdkThatATestLoadsIsReadAndEqualsItself() throws Exception {
        for (Class<?> each : new Class<?>[] {
            String.class,
            ConcurrentHashMap.class,
            TreeMap.class,
            Character.class,
            java.util.Formatter.class,
            java.math.BigInteger.class,
            java.util.regex.Pattern.class,
            Math.class,
            java.time.LocalDate.class
        }) {
            byte[] bytes = ProbedClass.bytes(each);
            assertThat(record(bytes).differenceTo(record(bytes)))
                    .as(each.getName())
                    .isEmpty();
            assertThat(record(bytes).hasProbe()).isFalse();
        }
    }

    @Test
    void malformedCodeIsRefused() {
        assertRefused(1, new byte[0], 0xca); // no opcode
        assertRefused(1, new byte[0], 0x10); // bipush without its operand
        assertRefused(1, new byte[0], 0xaa, 0, 0, 0, 0); // tableswitch without its bounds
        assertRefused(1, new byte[0], 0xaa, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff);
        assertRefused(1, new byte[0], 0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1);
        assertRefused(1, new byte[0], 0xab, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff);
        assertRefused(1, new byte[0], 0xab, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff);
        assertRefused(1, new byte[0], 0xc4); // wide
        assertRefused(1, new byte[0], 0xc4, 0x84, 0, 0, 0);
        assertRefused(1, new byte[0], 0x12, 1); // ldc without a constant
        assertRefused(2, new byte[] {ConstantPool.STRING, 0, 1}, 0x12, 1); // a string that is its own text
        assertRefused(2, new byte[] {ConstantPool.UTF8, 0, 0}, 0x12, 1);
        assertRefused(2, new byte[] {ConstantPool.UTF8, 0, 1}, 0xb1);
        assertRefused(2, new byte[] {ConstantPool.LONG, 0, 1}, 0xb1);
        assertRefused(2, new byte[] {2, 0, 1}, 0xb1);
        assertRefused(-1, new byte[0], 0xb1);
        assertRefused(70_000, new byte[0], 0xb1);
    }

    private static void assertRefused(int count, byte[] pool, int... code) {
        byte[] bytes = new byte[code.length];
        for (int i = 0; i < code.length; i++) {
            bytes[i] = (byte) code[i];
        }
        assertThatExceptionOfType(MalformedCode.class)
                .isThrownBy(() -> CodeRecord.of(count, pool, Map.of("run()V", bytes)));
    }
}
