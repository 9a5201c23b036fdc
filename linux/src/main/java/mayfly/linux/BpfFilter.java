// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package mayfly.linux;

import static mayfly.linux.BpfCode.FP;
import static mayfly.linux.BpfCode.R0;
import static mayfly.linux.BpfCode.R1;
import static mayfly.linux.BpfCode.R2;
import static mayfly.linux.BpfCode.R3;
import static mayfly.linux.BpfCode.R4;
import static mayfly.linux.BpfCode.R6;
import static mayfly.linux.BpfCode.R7;
import static mayfly.linux.BpfCode.R8;
import static mayfly.linux.BpfCode.R9;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The program that the kernel runs at each sample, before it writes one: it lets only one process's samples through,
 * and saves what lies on the stack beyond the part that the sample will have.
 *
 * <p>Where that much is not permitted, or not known to the kernel, it only filters; else it is not there at all.
 */
final class BpfFilter implements AutoCloseable {
    /** Helper functions, see bpf-helpers(7). */
    static final int MAP_LOOKUP_ELEM = 1;
    static final int KTIME_GET_NS = 5;
    static final int GET_SMP_PROCESSOR_ID = 8;
    static final int GET_CURRENT_PID_TGID = 14;
    static final int PROBE_READ_USER = 112;
    static final int GET_NS_CURRENT_PID_TGID = 120;
    static final int RINGBUF_RESERVE = 131;
    static final int RINGBUF_SUBMIT = 132;
    static final int RINGBUF_DISCARD = 133;
    static final int RINGBUF_QUERY = 134;
    static final int GET_CURRENT_TASK_BTF = 158;
    static final int TASK_PT_REGS = 175;

    static final int RB_NO_WAKEUP = 1;
    static final int RB_FORCE_WAKEUP = 2;
    static final int RB_AVAIL_DATA = 0;

    /** Offsets in struct pt_regs, see asm/ptrace.h. */
    static final int PT_REGS_IP = 128;
    static final int PT_REGS_SP = 152;

    /** The kernel lends the function that reads user memory to programs under the GPL only; see decision 0004. */
    private static final String LICENSE = "GPL";

    /** PROC_PID_INIT_INO, see linux/proc_ns.h. */
    private static final long INITIAL_PID_NAMESPACE = 0xEFFF_FFFCL;
    /** No more than 1 MiB of a stack, and no more than may be saved in a twentieth of the time between two samples. */
    private static final int MAX_PAGES = (1 << 20) / StackRing.PAGE;
    private static final int SHARE_OF_PERIOD = 20;
    /** How long the sampled thread is held up for a page, measured: see decision 0004. */
    private static final long PAGE_NANOS = 350;

    /** Where the program keeps things in its frame: struct bpf_pidns_info (u32 tid, u32 tgid), and three words. */
    private static final int ID = -8;
    private static final int TGID = -4;
    private static final int TIME = -16;
    private static final int SCRATCH = -24;
    private static final int STACK_END = -32;

    private final Fd program;
    private final @Nullable StackRing stacks;

    private BpfFilter(Fd program, @Nullable StackRing stacks) {
        this.program = program;
        this.stacks = stacks;
    }

    /**
     * Loads the program for a process.
     *
     * @param options what samples will have, and how often
     * @return null if the kernel refuses or cannot tell the process apart
     */
    static @Nullable BpfFilter load(LiveProcess target, PerfOptions options) {
        StackRing ring = options.stackBytes() == 0 ? null : StackRing.create(options.periodNanos());
        if (ring != null) {
            BpfFilter saving = load(target, options, ring);
            if (saving != null) {
                return saving;
            }
            ring.close();
        }
        return load(target, options, null);
    }

    private static @Nullable BpfFilter load(LiveProcess target, PerfOptions options, @Nullable StackRing ring) {
        try {
            BpfCode code = new BpfCode();
            if (!identify(code, target)) {
                return null;
            }
            code.loadInt(R1, FP, TGID).jumpIfEqual(R1, target.pid(), "ours").exit(0).label("ours");
            if (ring != null) {
                saveStack(code, options, ring);
            }
            code.label("pass").exit(1);
            return new BpfFilter(Bpf.load(code.instructions(), LICENSE), ring);
        } catch (ErrnoException e) {
            return null;
        }
    }

    /** Puts the running thread's ids, as the target's namespace has them, into the frame; false if there is no way. */
    private static boolean identify(BpfCode code, LiveProcess target) throws ErrnoException {
        try (Fd ours = Open.path("/proc/self/ns/pid"); Fd theirs = Open.path(target.proc() + "/ns/pid")) {
            Statx namespace = Statx.of(ours);
            if (namespace.inode() == INITIAL_PID_NAMESPACE) {
                code.call(GET_CURRENT_PID_TGID).store(FP, ID, R0);
                return true;
            }
            if (Statx.of(theirs).inode() != namespace.inode()) {
                return false;
            }
            code.setLong(R1, device(namespace)).setLong(R2, namespace.inode()).move(R3, FP).add(R3, ID).set(R4, 8)
                    .call(GET_NS_CURRENT_PID_TGID).jumpIfEqual(R0, 0, "identified").exit(0).label("identified");
            return true;
        }
    }

    /** The kernel's own encoding of a device number: 12 bits major, 20 bits minor. */
    private static long device(Statx stat) {
        String[] numbers = stat.device().split(":");
        return Long.parseLong(numbers[0], 16) << 20 | Long.parseLong(numbers[1], 16);
    }

    /** If the stack is larger than what is copied of it, sends its pages from there on to the ring. */
    private static void saveStack(BpfCode code, PerfOptions options, StackRing ring) {
        int copied = options.stackBytes();
        long affordable = options.periodNanos() / SHARE_OF_PERIOD / PAGE_NANOS;
        int most = Math.clamp(affordable, 1, MAX_PAGES);
        // The user registers, as the sample will have them also when the thread is in the kernel.
        code.call(GET_CURRENT_TASK_BTF).move(R1, R0).call(TASK_PT_REGS).move(R6, R0);

        // Where the stack ends, if it is known of this thread and the thread is on that stack. What is readable
        // after the end of an unknown one is taken for more of it.
        code.setLong(R1, -1).store(FP, STACK_END, R1)
                .setMap(R1, ring.ends().number()).move(R2, FP).add(R2, ID).call(MAP_LOOKUP_ELEM)
                .jumpIfEqual(R0, 0, "unknown end")
                .load(R7, R0, 0).load(R1, R6, PT_REGS_SP).jumpIfBelowRegister(R7, R1, "unknown end")
                .store(FP, STACK_END, R7).subtract(R7, R1).jumpIfBelow(R7, copied + 1, "pass")
                .label("unknown end");

        // Each page that the sample will have part of must be there, or the sample's part ends before it. Beginning at
        // the far end, because there most stacks have ended: they cost one look.
        code.load(R7, R6, PT_REGS_SP).add(R7, copied).set(R8, (copied + StackRing.PAGE - 1) / StackRing.PAGE)
                .label("probe")
                .move(R1, FP).add(R1, SCRATCH).set(R2, 8).move(R3, R7).call(PROBE_READ_USER)
                .jumpIfNotEqual(R0, 0, "pass")
                .add(R7, -StackRing.PAGE).add(R8, -1).jumpIfNotEqual(R8, 0, "probe");

        // Page after page from there on, up to the first that cannot be read or has no room in the ring.
        code.call(KTIME_GET_NS).store(FP, TIME, R0)
                .load(R7, R6, PT_REGS_SP).add(R7, copied).and(R7, -StackRing.PAGE).set(R8, most)
                .label("page")
                .load(R1, FP, STACK_END).jumpIfBelowRegister(R7, R1, "before the end").jump("pass")
                .label("before the end")
                .setMap(R1, ring.number()).set(R2, StackRing.RECORD).set(R3, 0).call(RINGBUF_RESERVE)
                .jumpIfEqual(R0, 0, "pass").move(R9, R0)
                .move(R1, R9).add(R1, StackRing.WORDS).set(R2, StackRing.PAGE).move(R3, R7).call(PROBE_READ_USER)
                .jumpIfNotEqual(R0, 0, "end of stack");
        code.load(R1, FP, ID).store(R9, StackRing.ID, R1)
                .load(R1, FP, TIME).store(R9, StackRing.TIME, R1)
                .call(GET_SMP_PROCESSOR_ID).store(R9, StackRing.CPU, R0)
                .load(R1, R6, PT_REGS_SP).store(R9, StackRing.SP, R1)
                .load(R1, R6, PT_REGS_IP).store(R9, StackRing.IP, R1)
                .store(R9, StackRing.ADDRESS, R7);
        code.setMap(R1, ring.number()).set(R2, RB_AVAIL_DATA).call(RINGBUF_QUERY)
                .set(R2, RB_NO_WAKEUP).jumpIfBelow(R0, StackRing.WAKEUP_BYTES, "submit").set(R2, RB_FORCE_WAKEUP)
                .label("submit").move(R1, R9).call(RINGBUF_SUBMIT)
                .add(R7, StackRing.PAGE).add(R8, -1).jumpIfNotEqual(R8, 0, "page").jump("pass");
        code.label("end of stack").move(R1, R9).set(R2, RB_NO_WAKEUP).call(RINGBUF_DISCARD);
    }

    /** Makes the kernel run the program for an event; false if it refuses. */
    boolean attachTo(PerfEvent event) {
        try {
            event.filter(program.number());
            return true;
        } catch (ErrnoException e) {
            return false;
        }
    }

    /** What the program saves, for whoever reads the samples to close; null if it only filters. */
    @Nullable StackRing stacks() {
        return stacks;
    }

    /** The program lives on as long as the events that it is attached to. */
    @Override
    public void close() {
        program.close();
    }
}
