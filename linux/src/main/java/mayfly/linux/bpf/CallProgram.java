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

import mayfly.linux.LiveProcess;
import mayfly.linux.abi.Abi;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import org.jspecify.annotations.Nullable;

/**
 * The program that the kernel runs whenever a thread of a process reaches a uprobe. It adds up an argument of the calls
 * of each thread, and whenever the sum passes a multiple of an interval, it writes the registers and the top of the
 * stack into a ring. So a call is written with a probability that is proportional to its argument. {@link CallRing} has
 * the layout of its records.
 */
final class CallProgram {
    /** Offset in the program's frame of a word that {@link #tryOut} may write. */
    private static final int SCRATCH = -16;

    /** Offset in the program's frame: the multiple of the interval that the call stands for. */
    private static final int WEIGHT = -24;

    private static final Abi.SavedRegisters SAVED = Cpu.ABI.savedRegisters();

    private CallProgram() {}

    /**
     * Loads the program.
     *
     * @param sums a table from the thread to the sum of its calls, less the multiples of the interval
     * @return null if the process cannot be identified in its pid namespace
     * @throws ErrnoException if the kernel does not permit or support it
     */
    static @Nullable Fd load(LiveProcess target, BpfRing ring, Fd sums, CallRing.Weighing weighing)
            throws ErrnoException {
        BpfCode code = new BpfCode().move(R6, R1);
        if (!BpfFilter.identify(code, target)) {
            return null;
        }
        code.loadInt(R1, FP, BpfFilter.TGID)
                .jumpIfEqual(R1, target.pid(), "ours")
                .exit(0)
                .label("ours");
        weigh(code, sums, weighing);
        reserve(code, ring);
        write(code);
        submit(code, ring);
        return Bpf.load(Bpf.PROG_TYPE_KPROBE, code.instructions(), BpfFilter.LICENSE);
    }

    /**
     * Loads a program of the same kind that does nothing.
     *
     * @throws ErrnoException if the kernel does not permit or support it
     */
    static Fd tryOut() throws ErrnoException {
        BpfCode code = new BpfCode()
                .move(R1, FP)
                .add(R1, SCRATCH)
                .set(R2, Long.BYTES)
                .set(R3, 0)
                .call(BpfFilter.PROBE_READ_USER)
                .exit(0);
        return Bpf.load(Bpf.PROG_TYPE_KPROBE, code.instructions(), BpfFilter.LICENSE);
    }

    /** Adds the argument to the sum of the thread; exits if the sum passes no multiple of the interval. */
    private static void weigh(BpfCode code, Fd sums, CallRing.Weighing weighing) {
        look(code, sums);
        code.jumpIfNotEqual(R0, 0, "known")
                .set(R1, 0)
                .store(FP, WEIGHT, R1)
                .setMap(R1, sums.number())
                .move(R2, FP)
                .add(R2, BpfFilter.ID)
                .move(R3, FP)
                .add(R3, WEIGHT)
                .set(R4, 0)
                .call(BpfFilter.MAP_UPDATE_ELEM);
        look(code, sums);
        code.jumpIfNotEqual(R0, 0, "known")
                .exit(0)
                .label("known")
                .load(R8, R0, 0)
                .load(R7, R6, weighing.offset())
                .addRegister(R8, R7)
                .move(R1, R8)
                .and(R1, weighing.interval() - 1)
                .store(R0, 0, R1)
                .and(R8, -weighing.interval())
                .store(FP, WEIGHT, R8)
                .jumpIfNotEqual(R8, 0, "sampled")
                .exit(0)
                .label("sampled");
    }

    private static void look(BpfCode code, Fd sums) {
        code.setMap(R1, sums.number()).move(R2, FP).add(R2, BpfFilter.ID).call(BpfFilter.MAP_LOOKUP_ELEM);
    }

    private static void reserve(BpfCode code, BpfRing ring) {
        code.setMap(R1, ring.number())
                .set(R2, BpfFilter.RB_AVAIL_DATA)
                .call(BpfFilter.RINGBUF_QUERY)
                .jumpIfBelow(R0, ring.bytes() - CallRing.KEPT_BYTES, "room")
                .jump("no room")
                .label("room")
                .setMap(R1, ring.number())
                .set(R2, CallRing.RECORD)
                .set(R3, 0)
                .call(BpfFilter.RINGBUF_RESERVE)
                .jumpIfEqual(R0, 0, "no room")
                .move(R9, R0);
    }

    /** Writes the record at r9: at a uprobe, the program's argument has the user's registers. */
    private static void write(BpfCode code) {
        code.load(R1, FP, BpfFilter.ID)
                .store(R9, CallRing.ID, R1)
                .call(BpfFilter.KTIME_GET_NS)
                .store(R9, CallRing.TIME, R0)
                .load(R1, FP, WEIGHT)
                .store(R9, CallRing.WEIGHT, R1);
        for (int i = 0; i < CallRing.REGISTER_WORDS; i++) {
            code.load(R1, R6, Long.BYTES * i).store(R9, CallRing.REGISTERS + Long.BYTES * i, R1);
        }
        code.load(R7, R6, SAVED.stackPointer()).and(R7, -CallRing.PAGE).set(R8, 0);
        for (int i = 0; i < CallRing.PAGES; i++) {
            code.move(R1, R9)
                    .add(R1, CallRing.WORDS + i * CallRing.PAGE)
                    .set(R2, CallRing.PAGE)
                    .move(R3, R7)
                    .call(BpfFilter.PROBE_READ_USER)
                    .jumpIfNotEqual(R0, 0, "copied")
                    .add(R7, CallRing.PAGE)
                    .add(R8, 1);
        }
        code.label("copied").store(R9, CallRing.COPIED, R8);
    }

    private static void submit(BpfCode code, BpfRing ring) {
        code.move(R1, R9)
                .set(R2, BpfFilter.RB_NO_WAKEUP)
                .call(BpfFilter.RINGBUF_SUBMIT)
                .exit(0);
        code.label("no room")
                .setMap(R1, ring.number())
                .set(R2, CallRing.NO_ROOM)
                .set(R3, 0)
                .call(BpfFilter.RINGBUF_RESERVE)
                .jumpIfEqual(R0, 0, "lost")
                .move(R9, R0)
                .load(R1, FP, BpfFilter.ID)
                .store(R9, CallRing.ID, R1)
                .move(R1, R9)
                .set(R2, BpfFilter.RB_NO_WAKEUP)
                .call(BpfFilter.RINGBUF_SUBMIT)
                .label("lost")
                .exit(0);
    }
}
