package mayfly.host.probe;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Class files that javac does not write. Each has one static method, {@code run}. */
final class GeneratedMethods {
    static final String NAME = "generated/Sample";

    private GeneratedMethods() {}

    /** Writes the instructions of a method. */
    interface Body {
        void write(MethodVisitor code);
    }

    static byte[] classFile(int version, String descriptor, Body body) {
        ClassWriter writer = new ClassWriter(version < 50 ? ClassWriter.COMPUTE_MAXS : ClassWriter.COMPUTE_FRAMES);
        writer.visit(version, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, NAME, null, "java/lang/Object", null);
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "run", descriptor, null, null);
        code.visitCode();
        body.write(code);
        code.visitMaxs(0, 0);
        code.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    /** Returns a class in an earlier version: those before 50 have no frames. */
    static byte[] inVersion(byte[] classFile, int version) {
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(classFile)
                .accept(
                        new ClassVisitor(Opcodes.ASM9, writer) {
                            @Override
                            public void visit(
                                    int ignored,
                                    int flags,
                                    String name,
                                    String signature,
                                    String superName,
                                    String[] interfaces) {
                                super.visit(version, flags, name, signature, superName, interfaces);
                            }

                            @Override
                            public void visitNestMember(String member) {}
                        },
                        version < 50 ? ClassReader.SKIP_FRAMES : 0);
        return writer.toByteArray();
    }

    /** A try block whose finally block is a subroutine, as javac wrote them before Java 6. */
    static void subroutine(MethodVisitor code) {
        Label begin = new Label();
        Label end = new Label();
        Label handler = new Label();
        Label subroutine = new Label();
        Label handlerEnd = new Label();
        code.visitTryCatchBlock(begin, end, handler, null);
        code.visitTryCatchBlock(handler, handlerEnd, handler, null);
        code.visitLabel(begin);
        code.visitIntInsn(Opcodes.BIPUSH, 12);
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitInsn(Opcodes.IDIV);
        code.visitVarInsn(Opcodes.ISTORE, 1);
        code.visitJumpInsn(Opcodes.JSR, subroutine);
        code.visitLabel(end);
        code.visitVarInsn(Opcodes.ILOAD, 1);
        code.visitInsn(Opcodes.IRETURN);
        code.visitLabel(handler);
        code.visitVarInsn(Opcodes.ASTORE, 2);
        code.visitJumpInsn(Opcodes.JSR, subroutine);
        code.visitLabel(handlerEnd);
        code.visitVarInsn(Opcodes.ALOAD, 2);
        code.visitInsn(Opcodes.ATHROW);
        code.visitLabel(subroutine);
        code.visitVarInsn(Opcodes.ASTORE, 3);
        Label returns = new Label();
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitJumpInsn(Opcodes.IFGE, returns);
        code.visitInsn(Opcodes.ICONST_M1); // a return in the subroutine
        code.visitInsn(Opcodes.IRETURN);
        code.visitLabel(returns);
        code.visitVarInsn(Opcodes.RET, 3);
    }

    /** Returns while the stack has more values below the returned one. */
    static void leftoverStack(MethodVisitor code) {
        code.visitLdcInsn("left");
        code.visitInsn(Opcodes.LCONST_1);
        code.visitVarInsn(Opcodes.DLOAD, 0);
        code.visitInsn(Opcodes.DRETURN);
    }

    /** The parameter's variable has values of other types when the method throws. */
    static void overwrittenParameter(MethodVisitor code) {
        Label zero = new Label();
        Label end = new Label();
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitVarInsn(Opcodes.ISTORE, 1);
        code.visitLdcInsn("text");
        code.visitVarInsn(Opcodes.ASTORE, 0);
        code.visitVarInsn(Opcodes.ILOAD, 1);
        code.visitJumpInsn(Opcodes.IFEQ, zero);
        code.visitInsn(Opcodes.DCONST_1);
        code.visitVarInsn(Opcodes.DSTORE, 0);
        code.visitJumpInsn(Opcodes.GOTO, end);
        code.visitLabel(zero);
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Integer", "parseInt", "(Ljava/lang/String;)I", false);
        code.visitInsn(Opcodes.POP);
        code.visitLabel(end);
        code.visitInsn(Opcodes.RETURN);
    }

    /** More than 256 local variables, and a long in the last one. */
    static void wideVariables(MethodVisitor code) {
        for (int i = 1; i < 300; i++) {
            code.visitVarInsn(Opcodes.ILOAD, 0);
            code.visitVarInsn(Opcodes.ISTORE, i);
        }
        code.visitIincInsn(299, 1000);
        code.visitVarInsn(Opcodes.ILOAD, 299);
        code.visitInsn(Opcodes.I2L);
        code.visitVarInsn(Opcodes.LSTORE, 300);
        code.visitVarInsn(Opcodes.LLOAD, 300);
        code.visitInsn(Opcodes.LRETURN);
    }

    /**
     * A loop over many instructions, at a length that a jump's two bytes just reach. With a probe they do not, and ASM
     * writes the jump with four bytes.
     *
     * @param length the number of bytes of the loop
     */
    static void longLoop(MethodVisitor code, int length) {
        Label begin = new Label();
        Label middle = new Label();
        Label end = new Label();
        code.visitLabel(begin);
        code.visitIincInsn(0, -1);
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitJumpInsn(Opcodes.IFLT, end);
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitIntInsn(Opcodes.BIPUSH, 100);
        code.visitJumpInsn(Opcodes.IF_ICMPNE, middle);
        code.visitIntInsn(Opcodes.BIPUSH, 100);
        code.visitInsn(Opcodes.IRETURN);
        code.visitLabel(middle);
        for (int i = 0; i < length; i++) {
            code.visitInsn(Opcodes.NOP);
        }
        code.visitJumpInsn(Opcodes.GOTO, begin);
        code.visitLabel(end);
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitInsn(Opcodes.IRETURN);
    }

    /** Instructions that no path reaches: in versions before 50 they have no frame. */
    static void deadCode(MethodVisitor code) {
        Label begin = new Label();
        code.visitLabel(begin);
        code.visitVarInsn(Opcodes.ILOAD, 0);
        code.visitInsn(Opcodes.IRETURN);
        code.visitInsn(Opcodes.LCONST_0);
        code.visitInsn(Opcodes.LCONST_0);
        code.visitInsn(Opcodes.LADD);
        code.visitInsn(Opcodes.L2I);
        code.visitInsn(Opcodes.IRETURN);
        code.visitJumpInsn(Opcodes.GOTO, begin);
    }
}
