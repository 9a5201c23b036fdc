package mayfly.host.probe.asm;

import org.jspecify.annotations.Nullable;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The properties of a method that must be known before its first instruction is written. */
final class MethodScan extends MethodVisitor {
    /** Of a method whose calls a compiler may replace by code of its own; JDK 16 and later. */
    private static final String INTRINSIC = "Ljdk/internal/vm/annotation/IntrinsicCandidate;";

    private static final int MAX_UNSIGNED_2 = 0xffff;

    private int returns;
    private int maxStack;
    private int maxLocals;
    private boolean isIntrinsic;

    MethodScan() {
        super(Opcodes.ASM9);
    }

    @Override
    public @Nullable AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
        isIntrinsic |= descriptor.equals(INTRINSIC);
        return null;
    }

    @Override
    public void visitInsn(int opcode) {
        returns += isReturn(opcode) ? 1 : 0;
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        maxStack = stack;
        maxLocals = locals;
    }

    static boolean isReturn(int opcode) {
        return opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
    }

    int returns() {
        return returns;
    }

    int maxLocals() {
        return maxLocals;
    }

    boolean isIntrinsic() {
        return isIntrinsic;
    }

    /** Returns true if the stack and the local variables of a probe find room in the frame. */
    boolean hasRoom() {
        return maxLocals + ProbedMethod.LOCALS <= MAX_UNSIGNED_2 && maxStack + ProbedMethod.STACK <= MAX_UNSIGNED_2;
    }
}
