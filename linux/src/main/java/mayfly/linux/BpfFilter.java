package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * bpf(2): a program of a few instructions that lets only one process's samples through, so that the kernel does not
 * copy the stacks of all the others. See the kernel's Documentation/bpf/standardization/instruction-set.rst.
 */
final class BpfFilter {
    static final int PROG_LOAD = 5;
    static final int PROG_TYPE_PERF_EVENT = 7;
    static final int GET_CURRENT_PID_TGID = 14;
    static final int GET_NS_CURRENT_PID_TGID = 120;
    /** Offsets in union bpf_attr for BPF_PROG_LOAD. */
    static final int PROG_TYPE = 0;
    static final int INSN_CNT = 4;
    static final int INSNS = 8;
    static final int LICENSE = 16;
    private static final int ATTR_SIZE = 48;
    /** PROC_PID_INIT_INO, see linux/proc_ns.h. */
    private static final long INITIAL_PID_NAMESPACE = 0xEFFF_FFFCL;

    private BpfFilter() {
    }

    /** Loads the program for a process; empty if the kernel refuses or cannot tell the process apart. */
    static Optional<Fd> load(LiveProcess target) {
        try (Fd ours = Open.path("/proc/self/ns/pid"); Fd theirs = Open.path(target.proc() + "/ns/pid")) {
            Statx namespace = Statx.of(ours);
            if (namespace.inode() == INITIAL_PID_NAMESPACE) {
                return load(inInitialNamespace(target.pid()));
            }
            return Statx.of(theirs).inode() == namespace.inode()
                    ? load(inNamespace(device(namespace), namespace.inode(), target.pid())) : Optional.empty();
        } catch (ErrnoException e) {
            return Optional.empty();
        }
    }


    /** The kernel's own encoding of a device number: 12 bits major, 20 bits minor. */
    private static long device(Statx stat) {
        String[] numbers = stat.device().split(":");
        return Long.parseLong(numbers[0], 16) << 20 | Long.parseLong(numbers[1], 16);
    }

    /** {@code return bpf_get_current_pid_tgid() >> 32 == tgid}. */
    private static long[] inInitialNamespace(int tgid) {
        return new long[] {
            insn(0x85, 0, 0, 0, GET_CURRENT_PID_TGID),
            insn(0x77, 0, 0, 0, 32),            // r0 >>= 32
            insn(0x15, 0, 0, 2, tgid),          // if r0 == tgid goto +2
            insn(0xb7, 0, 0, 0, 0),             // r0 = 0
            insn(0x95, 0, 0, 0, 0),             // exit
            insn(0xb7, 0, 0, 0, 1),             // r0 = 1
            insn(0x95, 0, 0, 0, 0),
        };
    }

    /** The same by bpf_get_ns_current_pid_tgid, which answers in the terms of one pid namespace. */
    private static long[] inNamespace(long device, long inode, int tgid) {
        return new long[] {
            insn(0x18, 1, 0, 0, (int) device),  // r1 = device, 64 bits in two slots
            insn(0, 0, 0, 0, (int) (device >>> 32)),
            insn(0x18, 2, 0, 0, (int) inode),   // r2 = inode
            insn(0, 0, 0, 0, (int) (inode >>> 32)),
            insn(0xbf, 3, 10, 0, 0),            // r3 = fp
            insn(0x07, 3, 0, 0, -8),            // r3 -= 8
            insn(0xb7, 4, 0, 0, 8),             // r4 = sizeof(struct bpf_pidns_info)
            insn(0x85, 0, 0, 0, GET_NS_CURRENT_PID_TGID),
            insn(0x55, 0, 0, 2, 0),             // if r0 != 0 goto no
            insn(0x61, 1, 10, -4, 0),           // r1 = tgid, the second u32
            insn(0x15, 1, 0, 2, tgid),          // if r1 == tgid goto yes
            insn(0xb7, 0, 0, 0, 0),             // no: r0 = 0
            insn(0x95, 0, 0, 0, 0),
            insn(0xb7, 0, 0, 0, 1),             // yes: r0 = 1
            insn(0x95, 0, 0, 0, 0),
        };
    }

    /** struct bpf_insn: u8 code, u8 dst:4 src:4, s16 off, s32 imm. */
    private static long insn(int code, int dst, int src, int off, int imm) {
        return code | dst << 8 | src << 12 | (off & 0xffffL) << 16 | (long) imm << 32;
    }

    private static Optional<Fd> load(long[] program) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ATTR_SIZE, 8);
            attr.set(JAVA_INT, PROG_TYPE, PROG_TYPE_PERF_EVENT);
            attr.set(JAVA_INT, INSN_CNT, program.length);
            attr.set(JAVA_LONG, INSNS, arena.allocateFrom(JAVA_LONG, program).address());
            attr.set(JAVA_LONG, LICENSE, arena.allocateFrom("Apache-2.0").address());
            long fd = Syscall.call(Syscall.BPF, PROG_LOAD, attr.address(), ATTR_SIZE);
            return fd < 0 ? Optional.empty() : Optional.of(new Fd((int) fd));
        }
    }
}
