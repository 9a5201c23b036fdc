package mayfly.unwind;

import java.util.function.LongPredicate;
import java.util.function.Predicate;
import mayfly.arch.Architecture;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import mayfly.process.Registers;
import mayfly.profile.Frame;
import mayfly.runtime.FrameCursor;
import mayfly.runtime.FrameSink;
import mayfly.runtime.Step;

/**
 * Steps over native frames by call-frame information.
 *
 * <p>Each program counter is decoded once: its site is cached by address, separately for return addresses and for
 * interrupted instructions. Confined to one thread.
 */
public final class NativeStepper {
    /** Upper bound on the size of a frame in a function that keeps a frame pointer, in bytes. */
    private static final long MAX_FRAME = 8 << 20;

    private final NativeCode code;
    private final LongPredicate managed;
    private final NativeSites sites;
    private final GeneralRow general;
    private final int linkRegister;
    private final int resultRegister;
    private final int redZone;
    private final long calleeSaved;
    private final long position;
    private final Architecture.FrameRecord frameRecord;

    /**
     * @param code the process's code
     * @param managed returns true if a runtime generated the code at an address
     * @param vm returns true if a module is the library of a runtime, whose frames are VM frames
     */
    public NativeStepper(NativeCode code, LongPredicate managed, Predicate<NativeModule> vm) {
        this.code = code;
        this.managed = managed;
        this.sites = new NativeSites(code, vm);
        Architecture architecture = code.architecture();
        this.general = new GeneralRow(architecture);
        this.linkRegister = architecture.linkRegister();
        this.resultRegister = architecture.resultRegister();
        this.redZone = architecture.redZone();
        this.calleeSaved = architecture.calleeSaved();
        this.position = architecture.positionRegisters();
        this.frameRecord = architecture.frameRecord();
    }

    /** Creates a stepper for a process in which no module is a runtime. */
    public NativeStepper(NativeCode code, LongPredicate managed) {
        this(code, managed, module -> false);
    }

    /** Drops the cached sites, for example after a runtime was found in a module already seen. */
    public void forget() {
        sites.clear();
    }

    /** Reports the native frame at the cursor and moves the cursor to its caller. */
    public Step step(FrameCursor cursor, FrameSink sink) {
        Registers registers = cursor.registers();
        NativeSite site = sites.at(registers.pc(), cursor.exact());
        if (site == null) {
            sink.accept(new Frame.Native("", registers.pc(), "", false));
            return Step.UNKNOWN_CODE;
        }
        sink.accept(site.frame);
        try {
            return switch (site.kind) {
                case SIMPLE -> simple(cursor, registers, site);
                case GENERAL -> general(cursor, registers, site);
                case ROOT -> Step.ROOT;
                case LEAF -> leaf(cursor, registers, site);
                case THREAD_START -> threadStart(cursor, registers, site);
                case NONE, BAD -> framePointer(cursor, registers, site);
            };
        } catch (MemoryFault e) {
            return Step.STACK_UNREADABLE;
        }
    }

    /**
     * Returns the first address above the native frame at the cursor, which is the caller's stack pointer. Returns the
     * frame's own stack pointer if its call-frame information does not give the address from a known register.
     */
    long frameEnd(FrameCursor cursor) {
        Registers registers = cursor.registers();
        NativeSite site = sites.at(registers.pc(), cursor.exact());
        if (site == null || site.kind != NativeSite.Kind.SIMPLE || !registers.knows(site.cfaRegister)) {
            return registers.sp();
        }
        return site.cfa(registers);
    }

    private Step simple(FrameCursor cursor, Registers registers, NativeSite site) throws MemoryFault {
        long sp = registers.sp();
        boolean inferred = !registers.knows(site.cfaRegister);
        long aboveSp = inferred ? sites.cfaAboveSp(registers.pc(), site, cursor.exact()) : 0;
        if (aboveSp == FrameDepths.UNKNOWN) {
            return Step.UNKNOWN_REGISTER;
        }
        long cfa = inferred ? sp + aboveSp : site.cfa(registers);
        long slot = cfa + site.returnAddressOffset;
        if (slot - sp < 0 || (slot & 7) != 0) {
            return Step.IMPLAUSIBLE_RETURN_ADDRESS;
        }
        if (site.returnsByLinkRegister && !registers.knows(linkRegister)) {
            return Step.UNKNOWN_REGISTER;
        }
        Memory stack = cursor.stack();
        long returnAddress = site.returnsByLinkRegister ? registers.get(linkRegister) : stack.readLong(slot);
        if (!plausible(returnAddress)) {
            return returnAddress == 0 ? Step.ROOT : Step.IMPLAUSIBLE_RETURN_ADDRESS;
        }
        if (inferred && !returnsTo(returnAddress)) {
            return Step.UNKNOWN_REGISTER;
        }
        long readable = cursor.exact() && !cursor.top() ? sp - redZone : sp;
        int[] saved = site.savedRegisters;
        for (int i = 0; i < saved.length; i++) {
            long from = cfa + site.savedOffsets[i];
            if (from - readable >= 0) {
                restore(registers, saved[i], stack, from);
            } else if ((site.kept >>> saved[i] & 1) == 0) {
                registers.forget(saved[i]);
            }
        }
        registers.retain(calleeSaved & ~site.lost);
        cursor.moveTo(returnAddress, cfa);
        return Step.CALLER;
    }

    private static void restore(Registers registers, int register, Memory stack, long from) {
        try {
            registers.set(register, stack.readLong(from));
        } catch (MemoryFault e) {
            // The walk continues, and ends only at a frame that needs this register.
            registers.forget(register);
        }
    }

    private Step general(FrameCursor cursor, Registers registers, NativeSite site) {
        Step step = general.apply(cursor, site);
        if (step != Step.CALLER) {
            return step;
        }
        long returnAddress = general.returnAddress();
        if (!site.signalFrame && !plausible(returnAddress)) {
            return returnAddress == 0 ? Step.ROOT : Step.IMPLAUSIBLE_RETURN_ADDRESS;
        }
        general.store(registers);
        if (site.signalFrame) {
            cursor.moveToInterrupted(returnAddress, general.stackPointer());
        } else {
            cursor.moveTo(returnAddress, general.stackPointer());
        }
        return Step.CALLER;
    }

    /** Steps with the location of the return address that the decoded instructions determine. */
    private Step leaf(FrameCursor cursor, Registers registers, NativeSite site) throws MemoryFault {
        if (site.returnsByLinkRegister && !registers.knows(linkRegister)) {
            return site.end();
        }
        long sp = registers.sp();
        long returnAddress = site.returnsByLinkRegister
                ? registers.get(linkRegister)
                : cursor.stackWord(sp + site.returnAddressOffset);
        if (!returnsTo(returnAddress)) {
            return site.end();
        }
        registers.retain(site.returnAddressOffset == 0 ? calleeSaved : position);
        cursor.moveTo(returnAddress, sp + site.callersStackPointerOffset);
        return Step.CALLER;
    }

    /**
     * Steps from the frame after clone's system call. If the call returned 0, the thread is new and the frame is the
     * root.
     */
    private Step threadStart(FrameCursor cursor, Registers registers, NativeSite site) throws MemoryFault {
        if (cursor.top() && registers.knows(resultRegister) && registers.get(resultRegister) == 0) {
            return Step.ROOT;
        }
        return leaf(cursor, registers, site);
    }

    /**
     * Follows a chain of frame pointers in code without call-frame information, if the return address can be verified.
     */
    private Step framePointer(FrameCursor cursor, Registers registers, NativeSite site) throws MemoryFault {
        if (!registers.knowsFp()) {
            return site.end();
        }
        long sp = registers.sp();
        long fp = registers.fp();
        if ((fp & 7) != 0 || fp - sp < 0 || fp - sp > MAX_FRAME) {
            return site.end();
        }
        long callersFp = cursor.stackWord(fp + frameRecord.framePointer());
        long returnAddress = cursor.stackWord(fp + frameRecord.returnAddress());
        boolean rising = callersFp == 0 || callersFp - fp > 0 && callersFp - fp < MAX_FRAME;
        if (!rising || !returnsTo(returnAddress)) {
            return site.end();
        }
        registers.retain(position);
        registers.setFp(callersFp);
        cursor.moveTo(returnAddress, fp + frameRecord.callersStackPointer());
        return Step.CALLER;
    }

    /**
     * Returns true if an address that was found by call-frame information can be a return address, because it is code.
     */
    private boolean plausible(long address) {
        return address != 0 && (sites.knowsReturn(address) || managed.test(address) || code.isCode(address));
    }

    /**
     * Returns true if an address that was found by other means can be a return address: a call precedes it, or it is
     * generated code.
     */
    private boolean returnsTo(long address) {
        return address != 0 && (managed.test(address) || code.mayReturnTo(address));
    }
}
