// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package mayfly.linux.bpf;

import static mayfly.linux.bpf.BpfCode.FP;
import static mayfly.linux.bpf.BpfCode.R0;
import static mayfly.linux.bpf.BpfCode.R1;
import static mayfly.linux.bpf.BpfCode.R2;
import static mayfly.linux.bpf.BpfCode.R3;
import static mayfly.linux.bpf.BpfCode.R4;
import static mayfly.linux.bpf.BpfCode.R6;
import static mayfly.linux.bpf.BpfCode.R7;
import static mayfly.linux.bpf.BpfCode.R8;
import static mayfly.linux.bpf.BpfCode.R9;

import java.util.OptionalInt;
import mayfly.linux.LiveProcess;
import mayfly.linux.abi.Abi;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;
import org.jspecify.annotations.Nullable;

/**
 * The program that the kernel runs at each sample, before it writes the sample: it passes the samples of one process
 * only, and saves the stack pages beyond the part that the sample will contain.
 *
 * <p>If the kernel does not permit or support saving, the program only filters; if it does not permit that either,
 * there is no program.
 */
public final class BpfFilter implements AutoCloseable {
    /** Helper functions, see bpf-helpers(7). */
    public static final int MAP_LOOKUP_ELEM = 1;

    public static final int MAP_UPDATE_ELEM = 2;
    public static final int KTIME_GET_NS = 5;
    public static final int GET_SMP_PROCESSOR_ID = 8;
    public static final int GET_CURRENT_PID_TGID = 14;
    public static final int PROBE_READ_USER = 112;
    public static final int GET_NS_CURRENT_PID_TGID = 120;
    public static final int RINGBUF_RESERVE = 131;
    public static final int RINGBUF_SUBMIT = 132;
    public static final int RINGBUF_DISCARD = 133;
    public static final int RINGBUF_QUERY = 134;
    public static final int GET_CURRENT_TASK_BTF = 158;
    public static final int TASK_PT_REGS = 175;

    public static final int RB_NO_WAKEUP = 1;
    public static final int RB_FORCE_WAKEUP = 2;
    public static final int RB_AVAIL_DATA = 0;

    /** The kernel permits the function that reads user memory only to programs under the GPL; see decision 0004. */
    static final String LICENSE = "GPL";

    /** PROC_PID_INIT_INO, see linux/proc_ns.h. */
    private static final long INITIAL_PID_NAMESPACE = 0xEFFF_FFFCL;
    /**
     * Upper bound on the pages saved of one stack: 1 MiB. Saving also takes at most a twentieth of the sampling
     * period.
     */
    private static final int MAX_PAGES = (1 << 20) / StackRing.PAGE;

    private static final int SHARE_OF_PERIOD = 20;
    /** Delay of the sampled thread per saved page, measured: see decision 0004. */
    private static final long PAGE_NANOS = 350;

    /** Cost of finding that a page is missing, in units of a saved page. */
    private static final int MISSING_UNITS = 3;
    /** Budget for a stack with a hole and an unknown end, in units; spent at each sample until the end is known. */
    private static final int UNKNOWN_UNITS = 72;
    /**
     * Upper bound, in bytes, on the saved part of a stack with a hole and an unknown end, beyond the part that would be
     * copied without the hole.
     */
    private static final int UNKNOWN_BEYOND = 16 * StackRing.PAGE;
    /** Pages saved from the far end of a stack with a hole while the ring is half full; the outer frames are there. */
    private static final int OUTERMOST_PAGES = 4;
    /**
     * Upper bound on the distance from the stack pointer to the thread pointer; beyond it, the thread pointer is in
     * another mapping.
     */
    private static final int MAX_TO_THREAD_POINTER = 16 << 20;

    /** Offsets in the program's frame: struct bpf_pidns_info (u32 tid, u32 tgid), and words. */
    static final int ID = -8;

    static final int TGID = -4;
    private static final int TIME = -16;
    private static final int SCRATCH = -24;
    private static final int STACK_END = -32;
    private static final int COPY_END = -40;
    private static final int FIRST = -48;
    private static final int LAST = -56;
    private static final int STEP = -64;
    /** Not 0 if missing pages are skipped. */
    private static final int SKIPS = -72;

    private static final int THREAD_POINTER = -80;
    /** The number of ring bytes not read yet. */
    private static final int WAITING = -88;

    private static final Abi.SavedRegisters SAVED = Cpu.ABI.savedRegisters();

    /** The ways in which the kernel's verifier may treat the loop over the pages; the faster one first. */
    enum Loops {
        /** It verifies the loop once; since Linux 6.9. */
        VERIFIED_ONCE,
        /** It follows each iteration: about 60 ms for the largest number of pages. */
        UNROLLED
    }

    private final Fd program;
    private final @Nullable StackRing stacks;

    private BpfFilter(Fd program, @Nullable StackRing stacks) {
        this.program = program;
        this.stacks = stacks;
    }

    /**
     * Loads the program for a process.
     *
     * @param stackBytes bytes of a stack that the kernel copies into a sample; 0 for no stacks
     * @param periodNanos CPU time between two samples of a thread, ns
     * @return null if the kernel refuses, or cannot identify the process in its pid namespace
     */
    public static @Nullable BpfFilter load(LiveProcess target, int stackBytes, long periodNanos) {
        StackRing ring = stackBytes == 0 ? null : StackRing.create(periodNanos);
        if (ring != null) {
            for (Loops loops : Loops.values()) {
                BpfFilter saving = load(target, stackBytes, periodNanos, ring, loops);
                if (saving != null) {
                    return saving;
                }
            }
            ring.close();
        }
        return load(target, stackBytes, periodNanos, null, Loops.UNROLLED);
    }

    static @Nullable BpfFilter load(
            LiveProcess target, int stackBytes, long periodNanos, @Nullable StackRing ring, Loops loops) {
        try {
            BpfCode code = new BpfCode();
            if (!identify(code, target)) {
                return null;
            }
            code.loadInt(R1, FP, TGID)
                    .jumpIfEqual(R1, target.pid(), "ours")
                    .exit(0)
                    .label("ours");
            if (ring != null) {
                saveStack(code, stackBytes, periodNanos, ring, loops);
            }
            code.label("pass").exit(1);
            return new BpfFilter(Bpf.load(Bpf.PROG_TYPE_PERF_EVENT, code.instructions(), LICENSE), ring);
        } catch (ErrnoException e) {
            return null;
        }
    }

    /**
     * Stores the running thread's ids in the target's pid namespace into the frame, at {@link #ID}; returns false if
     * this is impossible. Preserves r6 to r9.
     */
    static boolean identify(BpfCode code, LiveProcess target) throws ErrnoException {
        try (Fd ours = Open.path("/proc/self/ns/pid");
                Fd theirs = Open.path(target.proc() + "/ns/pid")) {
            Statx namespace = Statx.of(ours);
            if (namespace.inode() == INITIAL_PID_NAMESPACE) {
                code.call(GET_CURRENT_PID_TGID).store(FP, ID, R0);
                return true;
            }
            if (Statx.of(theirs).inode() != namespace.inode()) {
                return false;
            }
            code.setLong(R1, device(namespace))
                    .setLong(R2, namespace.inode())
                    .move(R3, FP)
                    .add(R3, ID)
                    .set(R4, 8)
                    .call(GET_NS_CURRENT_PID_TGID)
                    .jumpIfEqual(R0, 0, "identified")
                    .exit(0)
                    .label("identified");
            return true;
        }
    }

    /** Encodes a device number as the kernel does internally: 12 bits major, 20 bits minor. */
    private static long device(Statx stat) {
        String[] numbers = stat.device().split(":");
        return Long.parseLong(numbers[0], 16) << 20 | Long.parseLong(numbers[1], 16);
    }

    /**
     * Saves the pages that the sample will lack: those beyond the copied part, and those above a page that was never
     * touched, because the copy ends there. A frame with a large local variable leaves such a hole.
     */
    private static void saveStack(BpfCode code, int stackBytes, long periodNanos, StackRing ring, Loops loops) {
        // The user registers that the sample will contain, even if the thread is in the kernel.
        code.call(GET_CURRENT_TASK_BTF).move(R1, R0);
        OptionalInt threadPointer = KernelTypes.offsetOfThreadPointer();
        if (threadPointer.isPresent()) {
            code.load(R2, R0, threadPointer.getAsInt());
        } else {
            code.set(R2, 0);
        }
        code.store(FP, THREAD_POINTER, R2).call(TASK_PT_REGS).move(R6, R0);
        code.call(KTIME_GET_NS).store(FP, TIME, R0);
        findEnd(code, ring);
        findFirstMissing(code, stackBytes);
        choosePages(code, ring, Math.clamp(periodNanos / SHARE_OF_PERIOD / PAGE_NANOS, 1, MAX_PAGES), loops);
        savePages(code, ring, loops);
    }

    /**
     * Looks up the end of the stack; -1 if it is unknown for this thread, or if the thread is on another stack. Before
     * a thread's first walk it is the thread pointer: glibc and musl put the thread control block at the end of the
     * stack.
     */
    private static void findEnd(BpfCode code, StackRing ring) {
        code.setLong(R1, -1)
                .store(FP, STACK_END, R1)
                .setMap(R1, ring.ends().number())
                .move(R2, FP)
                .add(R2, ID)
                .call(MAP_LOOKUP_ELEM)
                .jumpIfEqual(R0, 0, "not walked yet")
                .load(R7, R0, 0)
                .load(R1, R6, SAVED.stackPointer())
                .jumpIfBelowRegister(R7, R1, "unknown end")
                .jump("known end")
                .label("not walked yet")
                .load(R7, FP, THREAD_POINTER)
                .load(R1, R6, SAVED.stackPointer())
                .move(R2, R7)
                .subtract(R2, R1)
                .jumpIfBelow(R2, MAX_TO_THREAD_POINTER, "known end")
                .jump("unknown end")
                .label("known end")
                .store(FP, STACK_END, R7)
                .label("unknown end");
    }

    /**
     * Stores in r7 the address of the first page that the sample will lack: the copy ends before or in this page. Exits
     * if the copy contains the whole stack.
     */
    private static void findFirstMissing(BpfCode code, int copied) {
        code.load(R7, R6, SAVED.stackPointer())
                .move(R1, R7)
                .add(R1, copied)
                .store(FP, COPY_END, R1)
                .and(R7, -StackRing.PAGE)
                .add(R7, -StackRing.PAGE)
                .set(R8, copied / StackRing.PAGE + 2)
                .label("probe")
                .add(R7, StackRing.PAGE)
                .load(R1, FP, COPY_END)
                .jumpIfBelowRegister(R7, R1, "in the copy")
                .jump("copied whole")
                .label("in the copy")
                .load(R1, FP, STACK_END)
                .jumpIfBelowRegister(R7, R1, "in the stack")
                .jump("pass")
                .label("in the stack")
                .move(R1, FP)
                .add(R1, SCRATCH)
                .set(R2, 8)
                .move(R3, R7)
                .call(PROBE_READ_USER)
                .jumpIfNotEqual(R0, 0, "hole")
                .add(R8, -1)
                .jumpIfNotEqual(R8, 0, "probe")
                .label("copied whole")
                .load(R7, FP, COPY_END)
                .load(R1, FP, STACK_END)
                .jumpIfBelowRegister(R7, R1, "goes on")
                .jump("pass")
                .label("goes on")
                .and(R7, -StackRing.PAGE);
    }

    /**
     * Chooses the range of pages to save, from {@code FIRST} up to {@code LAST}. Also chooses the page to save first,
     * in r7, the step from one page to the next, and the time budget, in r8, in units of a saved page. If the end of
     * the stack is unknown, readable memory after it is treated as stack, but only up to a limit beyond a hole.
     */
    private static void choosePages(BpfCode code, StackRing ring, int most, Loops loops) {
        // No hole in the copy: upward, up to the end or the first missing page.
        code.store(FP, FIRST, R7);
        setBudget(code, most, loops);
        code.set(R1, StackRing.PAGE)
                .store(FP, STEP, R1)
                .set(R1, 0)
                .store(FP, SKIPS, R1)
                .load(R1, FP, STACK_END)
                .store(FP, LAST, R1)
                .jumpIfEqual(R1, -1, "page")
                // Known end: skip holes. If not all pages can be saved, the nearest ones come first.
                .set(R2, 1)
                .store(FP, SKIPS, R2)
                .move(R2, R1)
                .subtract(R2, R7)
                .jumpIfBelow(R2, most * StackRing.PAGE, "downward")
                .jump("page");

        // A hole may be large, so begin at the far end, where the outer frames are. HotSpot touches 20 pages below the
        // stack pointer of each thread that has called Java code, so holes contain pages too; those are the first to
        // be omitted.
        code.label("hole")
                .store(FP, FIRST, R7)
                .set(R1, 1)
                .store(FP, SKIPS, R1)
                .load(R1, FP, STACK_END)
                .jumpIfEqual(R1, -1, "hole in an unknown stack")
                .store(FP, LAST, R1)
                .setMap(R1, ring.number())
                .set(R2, RB_AVAIL_DATA)
                .call(RINGBUF_QUERY);
        setBudget(code, most, loops);
        code.jumpIfBelow(R0, ring.bytes() / 2, "downward");
        setBudget(code, Math.min(most, OUTERMOST_PAGES), loops);
        code.label("downward")
                .load(R7, FP, LAST)
                .add(R7, -1)
                .and(R7, -StackRing.PAGE)
                .set(R1, -StackRing.PAGE)
                .store(FP, STEP, R1)
                .jump("page");

        code.label("hole in an unknown stack")
                .load(R1, FP, COPY_END)
                .add(R1, UNKNOWN_BEYOND)
                .store(FP, LAST, R1)
                .set(R1, StackRing.PAGE)
                .store(FP, STEP, R1);
        setBudget(code, Math.min(most, UNKNOWN_UNITS), loops);
    }

    /**
     * Sets r8 to the time budget. If the verifier is to verify the loop once, it must not know the value: it does not
     * conclude that the time minus itself is 0.
     */
    private static void setBudget(BpfCode code, int units, Loops loops) {
        switch (loops) {
            case VERIFIED_ONCE ->
                code.load(R8, FP, TIME).move(R1, R8).subtract(R8, R1).add(R8, units);
            case UNROLLED -> code.set(R8, units);
        }
    }

    /**
     * Saves page after page while the ring has room and the budget lasts. A full ring is reported by a record of its
     * own.
     */
    private static void savePages(BpfCode code, StackRing ring, Loops loops) {
        code.label("page");
        if (loops == Loops.VERIFIED_ONCE) {
            code.mayGoto("pass");
        }
        code.load(R1, FP, FIRST)
                .jumpIfBelowRegister(R7, R1, "pass")
                .load(R1, FP, LAST)
                .jumpIfBelowRegister(R7, R1, "in range")
                .jump("pass")
                .label("in range")
                // Test first: a missing page must not use space in the ring.
                .move(R1, FP)
                .add(R1, SCRATCH)
                .set(R2, 8)
                .move(R3, R7)
                .call(PROBE_READ_USER)
                .jumpIfNotEqual(R0, 0, "missing")
                .setMap(R1, ring.number())
                .set(R2, RB_AVAIL_DATA)
                .call(RINGBUF_QUERY)
                .store(FP, WAITING, R0)
                .jumpIfBelow(R0, ring.bytes() - StackRing.KEPT_BYTES, "room")
                .jump("no room")
                .label("room")
                .setMap(R1, ring.number())
                .set(R2, StackRing.RECORD)
                .set(R3, 0)
                .call(RINGBUF_RESERVE)
                .jumpIfEqual(R0, 0, "no room")
                .move(R9, R0)
                .move(R1, R9)
                .add(R1, StackRing.WORDS)
                .set(R2, StackRing.PAGE)
                .move(R3, R7)
                .call(PROBE_READ_USER)
                .jumpIfNotEqual(R0, 0, "gone");
        describeSample(code);
        code.store(R9, StackRing.ADDRESS, R7)
                .load(R1, FP, WAITING)
                .set(R2, RB_NO_WAKEUP)
                .jumpIfBelow(R1, StackRing.WAKEUP_BYTES, "submit")
                .set(R2, RB_FORCE_WAKEUP)
                .label("submit")
                .move(R1, R9)
                .call(RINGBUF_SUBMIT)
                .add(R8, -1)
                .label("next")
                .load(R1, FP, STEP)
                .addRegister(R7, R1)
                .jumpIfNotEqual(R8, 0, "page")
                .jump("pass");
        code.label("missing")
                .load(R1, FP, SKIPS)
                .jumpIfEqual(R1, 0, "pass")
                .jumpIfBelow(R8, MISSING_UNITS, "pass")
                .add(R8, -MISSING_UNITS)
                .jump("next");
        code.label("no room")
                .setMap(R1, ring.number())
                .set(R2, StackRing.NO_ROOM)
                .set(R3, 0)
                .call(RINGBUF_RESERVE)
                .jumpIfEqual(R0, 0, "pass")
                .move(R9, R0);
        describeSample(code);
        code.store(R9, StackRing.ADDRESS, R7)
                .move(R1, R9)
                .set(R2, RB_NO_WAKEUP)
                .call(RINGBUF_SUBMIT)
                .jump("pass");
        code.label("gone").move(R1, R9).set(R2, RB_NO_WAKEUP).call(RINGBUF_DISCARD);
    }

    /** Writes the identity of the sample into the record at r9. */
    private static void describeSample(BpfCode code) {
        code.load(R1, FP, ID)
                .store(R9, StackRing.ID, R1)
                .load(R1, FP, TIME)
                .store(R9, StackRing.TIME, R1)
                .call(GET_SMP_PROCESSOR_ID)
                .store(R9, StackRing.CPU, R0)
                .load(R1, R6, SAVED.stackPointer())
                .store(R9, StackRing.SP, R1)
                .load(R1, R6, SAVED.programCounter())
                .store(R9, StackRing.IP, R1);
    }

    /** Returns the program's descriptor, to which an event's filter is set. */
    public int program() {
        return program.number();
    }

    /** Returns the saved pages, which the reader of the samples closes; null if the program only filters. */
    @Nullable
    public StackRing stacks() {
        return stacks;
    }

    /** Closes the descriptor. The kernel keeps the program until the events that it is attached to are closed. */
    @Override
    public void close() {
        program.close();
    }
}
