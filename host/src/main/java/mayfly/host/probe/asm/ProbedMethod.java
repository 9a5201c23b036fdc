package mayfly.host.probe.asm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mayfly.host.probe.ProbeKeys;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.TypePath;
import org.objectweb.asm.TypeReference;

/**
 * Writes a method with its probes:
 *
 * <pre>
 *          enter probe       any Throwable of it: dropped
 *          the body, with a leave probe before each return
 *                            any Throwable of that probe: dropped, and the method returns
 *          handler of the body's exceptions: leave probe, and the exception is thrown again
 *                            any Throwable of that probe: dropped, and the exception is thrown again
 * </pre>
 *
 * <p>The handlers of the probes are the first of the exception table, so that no handler of the program catches an
 * exception of a probe. The handler of the body is the last, so that it catches what the program does not. It does not
 * cover the returns: a method that has left cannot leave again.
 *
 * <p>A value that is returned or thrown is kept in a local variable that the method does not use. Below it, the stack
 * may have more values, which are discarded with the frame.
 */
final class ProbedMethod extends MethodVisitor {
    /** The number of local variables that a probe needs: those of a long. */
    static final int LOCALS = 2;
    /** The number of operands that a probe needs. */
    static final int STACK = 2;

    /** The method of the JDK that calls the host: docs/decisions/0041. */
    private static final String SLOT = "java/time/zone/ZoneRulesProvider";

    private static final String SLOT_DESCRIPTOR = "(Ljava/lang/String;Z)Ljava/time/zone/ZoneRules;";
    private static final int ENTER = Opcodes.ICONST_1;
    private static final int LEAVE = Opcodes.ICONST_0;
    /** The handlers of probes before those of the probes at returns. */
    private static final int HANDLERS = 2;

    private static final String THROWABLE = "java/lang/Throwable";

    private final String owner;
    private final int flags;
    private final String descriptor;
    private final String key;
    private final String thrownKey;
    private final boolean hasFrames;
    /** The first local variable that the method does not use. */
    private final int free;

    private final Type returned;
    private final Range enter = new Range();
    private final Range thrown = new Range();
    private final Range[] returns;
    private final Label afterReturnProbe = new Label();
    private final List<Range> body = new ArrayList<>();
    private int returnsWritten;

    /** A range of code, and the handler of its exceptions. */
    private static final class Range {
        final Label begin = new Label();
        final Label end = new Label();
        final Label handler = new Label();
    }

    /**
     * @param owner the class, as in {@code java/util/Map}
     * @param hasFrames true if the class file has stack map frames
     */
    ProbedMethod(
            MethodVisitor next,
            String owner,
            int flags,
            String descriptor,
            int number,
            MethodScan scan,
            boolean hasFrames) {
        super(Opcodes.ASM9, next);
        this.owner = owner;
        this.flags = flags;
        this.descriptor = descriptor;
        this.key = ProbeKeys.of(number);
        this.thrownKey = ProbeKeys.ofThrown(number);
        this.hasFrames = hasFrames;
        this.free = scan.maxLocals();
        this.returned = Type.getReturnType(descriptor);
        this.returns = new Range[scan.returns()];
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitTryCatchBlock(enter.begin, enter.end, enter.handler, null);
        super.visitTryCatchBlock(thrown.begin, thrown.end, thrown.handler, null);
        for (int i = 0; i < returns.length; i++) {
            returns[i] = new Range();
            super.visitTryCatchBlock(returns[i].begin, returns[i].end, afterReturnProbe, null);
        }
        Label begin = new Label();
        probe(enter, key, ENTER);
        super.visitJumpInsn(Opcodes.GOTO, begin);
        super.visitLabel(enter.handler);
        Object[] locals = initialLocals();
        frame(locals, THROWABLE);
        super.visitInsn(Opcodes.POP);
        super.visitLabel(begin);
        frame(locals);
        beginBody();
        // The first instruction of the body may have a frame of its own, and two frames cannot have one offset.
        super.visitInsn(Opcodes.NOP);
    }

    private void beginBody() {
        Range range = new Range();
        super.visitLabel(range.begin);
        body.add(range);
    }

    private void endBody() {
        super.visitLabel(body.get(body.size() - 1).end);
    }

    private void probe(Range range, String constant, int forCaching) {
        super.visitLabel(range.begin);
        super.visitLdcInsn(constant);
        super.visitInsn(forCaching);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, SLOT, "getRules", SLOT_DESCRIPTOR, false);
        super.visitLabel(range.end);
        super.visitInsn(Opcodes.POP);
    }

    @Override
    public void visitInsn(int opcode) {
        if (!MethodScan.isReturn(opcode)) {
            super.visitInsn(opcode);
            return;
        }
        endBody();
        if (opcode != Opcodes.RETURN) {
            super.visitVarInsn(returned.getOpcode(Opcodes.ISTORE), free);
        }
        probe(returns[returnsWritten++], key, LEAVE);
        leave();
        beginBody();
    }

    /** Returns with the kept value, if there is one. */
    private void leave() {
        if (returned.getSort() != Type.VOID) {
            super.visitVarInsn(returned.getOpcode(Opcodes.ILOAD), free);
        }
        super.visitInsn(returned.getOpcode(Opcodes.IRETURN));
    }

    /** An exception parameter is annotated by its index in the exception table, which the probes' handlers shift. */
    @Override
    public @Nullable AnnotationVisitor visitTryCatchAnnotation(
            int typeRef, @Nullable TypePath typePath, String annotation, boolean visible) {
        int index = new TypeReference(typeRef).getTryCatchBlockIndex() + HANDLERS + returns.length;
        return super.visitTryCatchAnnotation(
                TypeReference.newTryCatchReference(index).getValue(), typePath, annotation, visible);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        endBody();
        if (returns.length > 0) {
            super.visitLabel(afterReturnProbe);
            frame(returned.getSort() == Type.VOID ? new Object[0] : localsWith(frameType(returned)), THROWABLE);
            super.visitInsn(Opcodes.POP);
            leave();
        }
        Label handler = new Label();
        super.visitLabel(handler);
        // The body may have used each local variable for several types, so none is kept.
        frame(new Object[0], THROWABLE);
        super.visitVarInsn(Opcodes.ASTORE, free);
        probe(thrown, thrownKey, LEAVE);
        rethrow();
        super.visitLabel(thrown.handler);
        frame(localsWith(THROWABLE), THROWABLE);
        super.visitInsn(Opcodes.POP);
        rethrow();
        for (Range range : body) {
            if (range.begin.getOffset() < range.end.getOffset()) {
                super.visitTryCatchBlock(range.begin, range.end, handler, null);
            }
        }
        super.visitMaxs(maxStack + STACK, maxLocals + LOCALS);
    }

    private void rethrow() {
        super.visitVarInsn(Opcodes.ALOAD, free);
        super.visitInsn(Opcodes.ATHROW);
    }

    private void frame(Object[] locals, Object... stack) {
        if (hasFrames) {
            super.visitFrame(Opcodes.F_NEW, locals.length, locals, stack.length, stack);
        }
    }

    private Object[] initialLocals() {
        List<Object> locals = new ArrayList<>();
        if ((flags & Opcodes.ACC_STATIC) == 0) {
            locals.add(owner);
        }
        for (Type each : Type.getArgumentTypes(descriptor)) {
            locals.add(frameType(each));
        }
        return locals.toArray();
    }

    /** Returns a frame whose only local variable is the free one. */
    private Object[] localsWith(Object type) {
        Object[] locals = new Object[free + 1];
        Arrays.fill(locals, Opcodes.TOP);
        locals[free] = type;
        return locals;
    }

    private static Object frameType(Type type) {
        return switch (type.getSort()) {
            case Type.BOOLEAN, Type.CHAR, Type.BYTE, Type.SHORT, Type.INT -> Opcodes.INTEGER;
            case Type.FLOAT -> Opcodes.FLOAT;
            case Type.LONG -> Opcodes.LONG;
            case Type.DOUBLE -> Opcodes.DOUBLE;
            default -> type.getInternalName();
        };
    }
}
