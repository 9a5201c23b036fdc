package mayfly.hotspot.frames.x86;

import java.util.ArrayList;
import java.util.List;
import mayfly.arch.x86.X86_64;
import mayfly.hotspot.code.CodeBlob;
import mayfly.hotspot.code.Codelets;
import mayfly.hotspot.code.Method;
import mayfly.hotspot.code.Methods;
import mayfly.hotspot.code.MonitorSlot;
import mayfly.hotspot.code.Tier;
import mayfly.hotspot.frames.GeneratedCode;
import mayfly.hotspot.frames.Site;
import mayfly.hotspot.tables.BadMetadata;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;
import org.jspecify.annotations.Nullable;

/**
 * A program counter in the template interpreter.
 *
 * <p>The frame, see frame_x86.hpp: return address at rbp + 8, the caller's rbp at rbp, the caller's sp at rbp − 8, the
 * Method at rbp − 24, the bytecode pointer at rbp − 64, the address of the last monitor at rbp − 72. While a bytecode
 * executes, the bytecode pointer is in r13 and the word in the frame is stale.
 */
final class InterpreterSite extends Site {
    private static final int KEPT = 1 << X86_64.RIP | 1 << X86_64.RSP | 1 << X86_64.RBP | 1 << X86_64.R15;
    private static final int SENDER_SP = -8;
    private static final int METHOD = -24;
    private static final int BCP = -64;
    /** The word that contains the address of the monitor entered last; the monitors end below this word. */
    private static final int MONITORS = -72;

    private static final int MONITOR_SIZE = 16;
    private static final int MONITOR_OBJECT = 8;
    /** Upper bound on the monitors of a frame. */
    private static final long MAX_MONITORS = 1 << 12;
    /** The size of the fixed part of a frame, in bytes. An entry pushes it word by word. */
    private static final int FIXED_FRAME = 80;
    /**
     * Upper bound on the extension of a frame, in bytes. Locals and arguments of a method are at most 65,535 words
     * each, JVM specification §4.11.
     */
    private static final long MAX_EXTENSION = 2L * 65_536 * 8;

    private final GeneratedCode generated;
    private final Codelets.Codelet codelet;
    private final @Nullable ActivationEnd end;

    InterpreterSite(GeneratedCode generated, CodeBlob blob, Codelets.Codelet codelet, @Nullable ActivationEnd end) {
        super(blob, true);
        this.generated = generated;
        this.codelet = codelet;
        this.end = end;
    }

    @Override
    public Step step(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        if (cursor.exact() && codelet.kind() == Codelets.Kind.METHOD_ENTRY) {
            return entering(cursor, sink);
        }
        if (end != null && generated.isReturnAddress(end.returnAddress(cursor), cursor.time())) {
            sink.accept(new Frame.Stub(generated.id(), codelet.description()));
            return caller(cursor, end.returnAddress(cursor), end.callerSp(cursor));
        }
        Method method = methodAt(cursor);
        if (method != null) {
            sink.accept(method.frame(generated.id(), tier(method), bci(method, cursor)));
            return leave(cursor);
        }
        // Between bytecodes, while a frame is being built or removed, the caller's frame may be the current one.
        if (cursor.exact()) {
            return entering(cursor, sink);
        }
        // The class may have been unloaded since. Its frame is still on the stack and leads to the caller.
        Frame unloaded = new Frame.Stub(generated.id(), Methods.UNLOADED);
        Step step = cursor.registers().knows(X86_64.RBP) ? leave(cursor) : Step.BAD_INTERPRETER_FRAME;
        if (step == Step.CALLER) {
            generated.counters().countUnloaded();
            sink.accept(unloaded);
        }
        return step == Step.CALLER ? step : Step.BAD_INTERPRETER_FRAME;
    }

    /**
     * While a frame is being built or removed, its monitors are not known. A slot without an object is free. See
     * BasicObjectLock in basicLock.hpp.
     */
    @Override
    public List<MonitorSlot> monitors(FrameCursor cursor, long pc) throws MemoryFault, BadMetadata {
        boolean entering = cursor.exact() && codelet.kind() == Codelets.Kind.METHOD_ENTRY;
        if (entering || end != null || methodAt(cursor) == null) {
            return List.of();
        }
        long fp = cursor.registers().fp();
        long bottom = fp + MONITORS;
        long word = cursor.stackWord(bottom);
        // Since JDK 22 it is the number of words from the frame pointer.
        long top = word < 0 && word >= -MAX_EXTENSION ? fp + 8 * word : word;
        long bytes = bottom - top;
        boolean isInFrame = top >= cursor.registers().sp() && bytes >= 0 && bytes <= MAX_MONITORS * MONITOR_SIZE;
        if (!isInFrame || bytes % MONITOR_SIZE != 0) {
            throw new BadMetadata("an interpreted frame with " + bytes + " bytes of monitors");
        }
        List<MonitorSlot> slots = new ArrayList<>();
        for (long slot = top; slot < bottom; slot += MONITOR_SIZE) {
            long object = cursor.stackWord(slot + MONITOR_OBJECT);
            if (object != 0) {
                slots.add(new MonitorSlot(0, false, MonitorSlot.Form.REFERENCE, object));
            }
        }
        return slots;
    }

    private @Nullable Method methodAt(FrameCursor cursor) {
        if (!cursor.registers().knows(X86_64.RBP)) {
            return null;
        }
        try {
            return generated.methodOrNull(cursor.stackWord(cursor.registers().fp() + METHOD));
        } catch (MemoryFault e) {
            return null;
        }
    }

    private static Tier tier(Method method) {
        return method.isNative ? Tier.NATIVE : Tier.INTERPRETED;
    }

    private int bci(Method method, FrameCursor cursor) {
        Registers registers = cursor.registers();
        boolean inRegister = cursor.exact() && codelet.kind() == Codelets.Kind.BYTECODE && registers.knows(X86_64.R13);
        long bci = (inRegister ? registers.get(X86_64.R13) : savedBcp(cursor)) - method.codeBegin;
        if (bci < 0 || bci >= method.codeSize) {
            bci = savedBcp(cursor) - method.codeBegin;
        }
        return bci >= 0 && bci < method.codeSize ? (int) bci : -1;
    }

    /** Returns the bytecode pointer in the frame, or 0 if the stack no longer includes it. */
    private static long savedBcp(FrameCursor cursor) {
        try {
            return cursor.stackWord(cursor.registers().fp() + BCP);
        } catch (MemoryFault e) {
            return 0;
        }
    }

    private Step leave(FrameCursor cursor) throws MemoryFault {
        Registers registers = cursor.registers();
        long fp = registers.fp();
        long returnAddress = cursor.stackWord(fp + 8);
        long senderSp = fp + SENDER_SP < registers.sp() ? fp + 16 : cursor.stackWord(fp + SENDER_SP);
        if (!generated.isReturnAddress(returnAddress, cursor.time())) {
            return generated.implausible(returnAddress, cursor.time(), blob);
        }
        // A method handle linker pops the trailing argument after the caller's sp was recorded, so sp may be one word
        // lower.
        if (senderSp < fp + 8 || senderSp > fp + 16 + MAX_EXTENSION) {
            return Step.BAD_INTERPRETER_FRAME;
        }
        registers.set(X86_64.RBP, cursor.stackWord(fp));
        registers.retain(KEPT);
        cursor.moveTo(returnAddress, Math.max(senderSp, fp + 16));
        return Step.CALLER;
    }

    /**
     * In a method entry, the frame may be complete, partial, or absent. The Method is in rbx, the sender's sp in r13.
     */
    private Step entering(FrameCursor cursor, FrameSink sink) throws MemoryFault {
        Registers registers = cursor.registers();
        long sp = registers.sp();
        long fp = registers.fp();
        Method method = generated.methodOrNull(registers.get(X86_64.RBX));
        if (fp - sp >= 0 && fp - sp < FIXED_FRAME) {
            long returnAddress = cursor.stackWord(fp + 8);
            if (generated.isReturnAddress(returnAddress, cursor.time())) {
                report(method != null ? method : methodAt(cursor), sink);
                long pushed = fp + SENDER_SP < sp ? 0 : cursor.stackWord(fp + SENDER_SP);
                registers.set(X86_64.RBP, cursor.stackWord(fp));
                return caller(cursor, returnAddress, isSenderSp(pushed, fp + 16) ? pushed : senderSp(cursor, fp + 16));
            }
        }
        if (method != null
                && methodAt(cursor) == method
                && fp > sp
                && generated.isReturnAddress(cursor.stackWord(fp + 8), cursor.time())
                && !generated.isReturnAddress(cursor.stackWord(sp), cursor.time())) {
            report(method, sink);
            return leave(cursor);
        }
        if (generated.isReturnAddress(cursor.stackWord(sp), cursor.time())) {
            report(method, sink);
            return caller(cursor, cursor.stackWord(sp), senderSp(cursor, sp + 8));
        }
        if (cursor.stackWord(sp) == fp && generated.isReturnAddress(cursor.stackWord(sp + 8), cursor.time())) {
            report(method, sink);
            return caller(cursor, cursor.stackWord(sp + 8), senderSp(cursor, sp + 16));
        }
        long rax = registers.get(X86_64.RAX);
        if (generated.isReturnAddress(rax, cursor.time())) {
            report(method, sink);
            return caller(cursor, rax, senderSp(cursor, sp));
        }
        Step step = leave(cursor);
        if (step != Step.CALLER) {
            return Step.BAD_INTERPRETER_FRAME;
        }
        generated.counters().countUnloaded();
        sink.accept(new Frame.Stub(generated.id(), Methods.UNLOADED));
        return step;
    }

    private void report(@Nullable Method method, FrameSink sink) {
        if (method == null) {
            sink.accept(new Frame.Stub(generated.id(), codelet.description()));
        } else {
            sink.accept(method.frame(generated.id(), tier(method), method.isNative ? -1 : 0));
        }
    }

    private static boolean isSenderSp(long value, long least) {
        return value >= least && value <= least + MAX_EXTENSION;
    }

    private static long senderSp(FrameCursor cursor, long least) {
        long r13 = cursor.registers().get(X86_64.R13);
        return cursor.registers().knows(X86_64.R13) && isSenderSp(r13, least) ? r13 : least;
    }

    private static Step caller(FrameCursor cursor, long returnAddress, long sp) {
        cursor.registers().retain(KEPT);
        cursor.moveTo(returnAddress, sp);
        return Step.CALLER;
    }
}
