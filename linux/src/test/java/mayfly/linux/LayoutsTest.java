package mayfly.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.bpf.Bpf;
import mayfly.linux.bpf.BpfCode;
import mayfly.linux.bpf.BpfFilter;
import mayfly.linux.bpf.StackRing;
import mayfly.linux.perf.PerfEvent;
import mayfly.linux.perf.PerfEventAttr;
import mayfly.linux.perf.PerfRing;
import mayfly.linux.perf.PerfRings;
import mayfly.linux.perf.PerfSample;
import mayfly.linux.proc.Permissions;
import mayfly.linux.sys.Alarm;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.KernelClock;
import mayfly.linux.sys.Memfd;
import mayfly.linux.sys.NewFile;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Poll;
import mayfly.linux.sys.ResourceLimit;
import mayfly.linux.sys.Statx;
import mayfly.linux.sys.ThreadPriority;
import mayfly.linux.sys.UnixPeer;
import mayfly.linux.trace.Ptrace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares each number in this module with the C headers: a C program prints the headers' numbers. */
@Tag("slow")
class LayoutsTest {

    @Test
    void constantsAndOffsetsEqualTheKernelHeaders() throws Exception {
        Map<String, Long> headers = new HashMap<>();
        try (CProgram program = CProgram.start("layouts")) {
            for (String line : program.lines()) {
                int blank = line.lastIndexOf(' ');
                headers.put(line.substring(0, blank), Long.parseLong(line.substring(blank + 1)));
            }
        }
        assertThat(new TreeMap<>(ours())).isEqualTo(new TreeMap<>(headers));
    }

    /** Of the calls of a target, x86-64 has two that newer CPUs lack. */
    @Test
    void everyCallThatMayflyMakesIsOneOfEach64BitCpu() throws Exception {
        String generic = Files.readString(Path.of("/usr/include/asm-generic/unistd.h"));
        for (SystemCall call : EnumSet.complementOf(
                EnumSet.of(SystemCall.DUP2, SystemCall.EPOLL_WAIT, SystemCall.POLL, SystemCall.SELECT))) {
            assertThat(generic)
                    .containsPattern("#define __NR(3264)?_" + call.name().toLowerCase(Locale.ROOT) + " ");
        }
    }

    private static Map<String, Long> ours() {
        Map<String, Long> ours = new HashMap<>();
        calls(ours);
        structs(ours);
        perf(ours);
        bpf(ours);
        ptrace(ours);
        return ours;
    }

    private static void calls(Map<String, Long> m) {
        for (SystemCall call : SystemCall.values()) {
            put(m, call.name().toLowerCase(Locale.ROOT), Cpu.ABI.number(call));
        }
        put(
                m,
                "AT_REMOVEDIR",
                PlacedFile.AT_REMOVEDIR,
                "sizeof statfs",
                Memfd.STATFS_SIZE,
                "TMPFS_MAGIC",
                Memfd.TMPFS_MAGIC,
                "O_NONBLOCK",
                Open.O_NONBLOCK,
                "O_NOCTTY",
                Open.O_NOCTTY,
                "AF_UNIX",
                UnixPeer.AF_UNIX,
                "SOCK_STREAM",
                UnixPeer.SOCK_STREAM,
                "SOCK_NONBLOCK",
                UnixPeer.SOCK_NONBLOCK,
                "SOCK_CLOEXEC",
                UnixPeer.SOCK_CLOEXEC,
                "SOL_SOCKET",
                UnixPeer.SOL_SOCKET,
                "SO_PEERCRED",
                UnixPeer.SO_PEERCRED,
                "sizeof sockaddr_un",
                UnixPeer.ADDRESS_SIZE,
                "sizeof ucred",
                UnixPeer.CREDENTIALS_SIZE);
    }

    private static void structs(Map<String, Long> m) {
        put(
                m,
                "sizeof iovec",
                16,
                "iovec.iov_len",
                8,
                "sizeof pollfd",
                Poll.SIZE,
                "pollfd.events",
                4,
                "pollfd.revents",
                6,
                "ITIMER_REAL",
                Alarm.ITIMER_REAL,
                "sizeof itimerval",
                Alarm.TIMER_SIZE,
                "itimerval.it_value.tv_sec",
                Alarm.SECONDS,
                "itimerval.it_value.tv_usec",
                Alarm.MICROSECONDS,
                "POLLIN",
                Poll.IN,
                "POLLHUP",
                Poll.HUP,
                "sizeof open_how",
                Open.HOW_SIZE,
                "open_how.resolve",
                16,
                "O_PATH",
                Open.O_PATH,
                "O_NOFOLLOW",
                Open.O_NOFOLLOW,
                "O_CLOEXEC",
                Open.O_CLOEXEC,
                "O_DIRECTORY",
                Open.O_DIRECTORY,
                "O_CREAT",
                Open.O_CREAT,
                "O_EXCL",
                Open.O_EXCL,
                "MFD_CLOEXEC",
                Memfd.CLOEXEC,
                "O_WRONLY",
                Open.O_WRONLY,
                "O_TMPFILE",
                Open.O_TMPFILE,
                "open_how.mode",
                8,
                "AT_FDCWD",
                Open.AT_FDCWD,
                "AT_SYMLINK_FOLLOW",
                NewFile.AT_SYMLINK_FOLLOW,
                "RESOLVE_NO_XDEV",
                Open.RESOLVE_NO_XDEV,
                "RESOLVE_NO_MAGICLINKS",
                Open.RESOLVE_NO_MAGICLINKS,
                "RESOLVE_IN_ROOT",
                Open.RESOLVE_IN_ROOT,
                "sizeof statx",
                Statx.SIZE,
                "statx.stx_uid",
                Statx.UID,
                "statx.stx_mode",
                Statx.MODE,
                "statx.stx_ino",
                Statx.INO,
                "statx.stx_size",
                Statx.LENGTH,
                "statx.stx_dev_major",
                Statx.DEV_MAJOR,
                "statx.stx_dev_minor",
                Statx.DEV_MINOR,
                "AT_EMPTY_PATH",
                Statx.AT_EMPTY_PATH,
                "STATX_BASIC_STATS",
                Statx.BASIC_STATS,
                "RLIMIT_NOFILE",
                ResourceLimit.NOFILE.number,
                "RLIMIT_MEMLOCK",
                ResourceLimit.MEMLOCK.number,
                "sizeof rlimit",
                16,
                "sizeof timespec",
                16,
                "CLOCK_MONOTONIC",
                PerfEventAttr.CLOCK_MONOTONIC,
                "CLOCK_BOOTTIME",
                KernelClock.BOOT.number,
                "CLOCK_THREAD_CPUTIME_ID",
                KernelClock.THREAD_CPU.number,
                "PRIO_PROCESS",
                ThreadPriority.PRIO_PROCESS);
        for (Permissions.Capability capability : Permissions.Capability.values()) {
            put(m, "CAP_" + capability.name(), capability.number);
        }
    }

    private static void perf(Map<String, Long> m) {
        put(
                m,
                "PERF_ATTR_SIZE_VER5",
                PerfEventAttr.SIZE,
                "perf_event_attr.type",
                PerfEventAttr.TYPE,
                "perf_event_attr.size",
                PerfEventAttr.SIZE_FIELD,
                "perf_event_attr.config",
                PerfEventAttr.CONFIG,
                "perf_event_attr.sample_period",
                PerfEventAttr.SAMPLE_PERIOD,
                "perf_event_attr.sample_type",
                PerfEventAttr.SAMPLE_TYPE,
                "perf_event_attr.wakeup_watermark",
                PerfEventAttr.WAKEUP_WATERMARK,
                "perf_event_attr.sample_regs_user",
                PerfEventAttr.SAMPLE_REGS_USER,
                "perf_event_attr.sample_stack_user",
                PerfEventAttr.SAMPLE_STACK_USER,
                "perf_event_attr.config1",
                PerfEventAttr.CONFIG1,
                "perf_event_attr.config2",
                PerfEventAttr.CONFIG2,
                "perf_event_attr.clockid",
                PerfEventAttr.CLOCKID,
                "flags",
                PerfEventAttr.FLAGS,
                "bit.disabled",
                PerfEventAttr.DISABLED,
                "bit.inherit",
                PerfEventAttr.INHERIT,
                "bit.exclude_kernel",
                PerfEventAttr.EXCLUDE_KERNEL,
                "bit.exclude_idle",
                PerfEventAttr.EXCLUDE_IDLE,
                "bit.comm",
                PerfEventAttr.COMM,
                "bit.enable_on_exec",
                PerfEventAttr.ENABLE_ON_EXEC,
                "bit.task",
                PerfEventAttr.TASK,
                "bit.watermark",
                PerfEventAttr.WATERMARK,
                "bit.exclude_callchain_user",
                PerfEventAttr.EXCLUDE_CALLCHAIN_USER,
                "bit.comm_exec",
                PerfEventAttr.COMM_EXEC,
                "bit.use_clockid",
                PerfEventAttr.USE_CLOCKID,
                "bit.inherit_thread",
                PerfEventAttr.INHERIT_THREAD,
                "bit.context_switch",
                PerfEventAttr.CONTEXT_SWITCH);
        put(
                m,
                "PERF_TYPE_SOFTWARE",
                PerfEventAttr.TYPE_SOFTWARE,
                "PERF_COUNT_SW_CPU_CLOCK",
                PerfEventAttr.SW_CPU_CLOCK,
                "PERF_COUNT_SW_TASK_CLOCK",
                PerfEventAttr.SW_TASK_CLOCK,
                "PERF_COUNT_SW_DUMMY",
                PerfEventAttr.SW_DUMMY,
                "sample_type",
                PerfEventAttr.SAMPLE,
                "PERF_SAMPLE_CALLCHAIN",
                PerfEventAttr.SAMPLE_CALLCHAIN,
                "regs",
                Cpu.ABI.perfMask(),
                "PERF_EVENT_IOC_ENABLE",
                PerfEvent.IOC_ENABLE,
                "PERF_EVENT_IOC_DISABLE",
                PerfEvent.IOC_DISABLE,
                "PERF_EVENT_IOC_SET_OUTPUT",
                PerfEvent.IOC_SET_OUTPUT,
                "PERF_EVENT_IOC_ID",
                PerfEvent.IOC_ID & 0xffff_ffffL,
                "PERF_EVENT_IOC_SET_BPF",
                PerfEvent.IOC_SET_BPF,
                "PERF_FLAG_FD_CLOEXEC",
                PerfEvent.FLAG_FD_CLOEXEC,
                "perf_event_mmap_page.data_head",
                PerfRing.DATA_HEAD,
                "perf_event_mmap_page.data_tail",
                PerfRing.DATA_TAIL,
                "PERF_RECORD_LOST",
                PerfRings.LOST,
                "PERF_RECORD_COMM",
                PerfRings.COMM,
                "PERF_RECORD_EXIT",
                PerfRings.EXIT,
                "PERF_RECORD_THROTTLE",
                PerfRings.THROTTLE,
                "PERF_RECORD_FORK",
                PerfRings.FORK,
                "PERF_RECORD_SAMPLE",
                PerfRings.SAMPLE,
                "PERF_RECORD_LOST_SAMPLES",
                PerfRings.LOST_SAMPLES,
                "PERF_RECORD_MISC_COMM_EXEC",
                PerfRings.MISC_COMM_EXEC,
                "PERF_RECORD_SWITCH",
                PerfRings.SWITCH,
                "PERF_RECORD_MISC_SWITCH_OUT",
                PerfRings.MISC_SWITCH_OUT,
                "PERF_RECORD_MISC_SWITCH_OUT_PREEMPT",
                PerfRings.MISC_SWITCH_OUT_PREEMPT,
                "PERF_CONTEXT_MAX",
                PerfSample.CONTEXT_MAX,
                "PERF_SAMPLE_REGS_ABI_64",
                PerfSample.ABI_64);
    }

    private static void bpf(Map<String, Long> m) {
        put(
                m,
                "BPF_PROG_LOAD",
                Bpf.PROG_LOAD,
                "BPF_MAP_CREATE",
                Bpf.MAP_CREATE,
                "BPF_MAP_UPDATE_ELEM",
                Bpf.MAP_UPDATE_ELEM,
                "BPF_PROG_TYPE_KPROBE",
                Bpf.PROG_TYPE_KPROBE,
                "BPF_PROG_TYPE_PERF_EVENT",
                Bpf.PROG_TYPE_PERF_EVENT,
                "BPF_MAP_TYPE_RINGBUF",
                Bpf.MAP_TYPE_RINGBUF,
                "BPF_MAP_TYPE_LRU_HASH",
                Bpf.MAP_TYPE_LRU_HASH,
                "bpf_attr.key_size",
                Bpf.KEY_SIZE,
                "bpf_attr.value_size",
                Bpf.VALUE_SIZE,
                "bpf_attr.map_fd",
                Bpf.MAP_FD,
                "bpf_attr.key",
                Bpf.KEY,
                "bpf_attr.value",
                Bpf.VALUE,
                "bpf_attr.prog_type",
                Bpf.PROG_TYPE,
                "bpf_attr.insns",
                Bpf.INSNS,
                "bpf_attr.insn_cnt",
                Bpf.INSN_CNT,
                "bpf_attr.license",
                Bpf.LICENSE,
                "bpf_attr.map_type",
                Bpf.MAP_TYPE,
                "bpf_attr.max_entries",
                Bpf.MAX_ENTRIES,
                "map_lookup_elem",
                BpfFilter.MAP_LOOKUP_ELEM,
                "map_update_elem",
                BpfFilter.MAP_UPDATE_ELEM,
                "ktime_get_ns",
                BpfFilter.KTIME_GET_NS,
                "get_smp_processor_id",
                BpfFilter.GET_SMP_PROCESSOR_ID,
                "get_current_pid_tgid",
                BpfFilter.GET_CURRENT_PID_TGID,
                "probe_read_user",
                BpfFilter.PROBE_READ_USER,
                "get_ns_current_pid_tgid",
                BpfFilter.GET_NS_CURRENT_PID_TGID,
                "ringbuf_reserve",
                BpfFilter.RINGBUF_RESERVE,
                "ringbuf_submit",
                BpfFilter.RINGBUF_SUBMIT,
                "ringbuf_discard",
                BpfFilter.RINGBUF_DISCARD,
                "ringbuf_query",
                BpfFilter.RINGBUF_QUERY,
                "get_current_task_btf",
                BpfFilter.GET_CURRENT_TASK_BTF,
                "task_pt_regs",
                BpfFilter.TASK_PT_REGS,
                "BPF_RB_NO_WAKEUP",
                BpfFilter.RB_NO_WAKEUP,
                "BPF_RB_FORCE_WAKEUP",
                BpfFilter.RB_FORCE_WAKEUP,
                "BPF_RB_AVAIL_DATA",
                BpfFilter.RB_AVAIL_DATA,
                "BPF_RINGBUF_HDR_SZ",
                StackRing.HEADER,
                "BPF_RINGBUF_BUSY_BIT",
                StackRing.BUSY & 0xffff_ffffL,
                "BPF_RINGBUF_DISCARD_BIT",
                StackRing.DISCARDED,
                "pt_regs.ip",
                Cpu.ABI.savedRegisters().programCounter(),
                "pt_regs.sp",
                Cpu.ABI.savedRegisters().stackPointer());
        put(
                m,
                "add",
                BpfCode.ADD,
                "and",
                BpfCode.AND,
                "set",
                BpfCode.SET,
                "move",
                BpfCode.MOVE,
                "load wide",
                BpfCode.LOAD_WIDE,
                "load int",
                BpfCode.LOAD_INT,
                "load",
                BpfCode.LOAD,
                "store",
                BpfCode.STORE,
                "jump",
                BpfCode.JUMP,
                "jump equal",
                BpfCode.JUMP_EQUAL,
                "jump not equal",
                BpfCode.JUMP_NOT_EQUAL,
                "jump below",
                BpfCode.JUMP_BELOW,
                "jump below register",
                BpfCode.JUMP_BELOW_REGISTER,
                "subtract",
                BpfCode.SUBTRACT,
                "call",
                BpfCode.CALL,
                "exit",
                BpfCode.EXIT,
                "BPF_PSEUDO_MAP_FD",
                BpfCode.PSEUDO_MAP_FD,
                "BPF_REG_FP",
                BpfCode.FP);
    }

    private static void ptrace(Map<String, Long> m) {
        put(
                m,
                "PTRACE_SEIZE",
                Ptrace.SEIZE,
                "PTRACE_INTERRUPT",
                Ptrace.INTERRUPT,
                "PTRACE_GETREGSET",
                Ptrace.GETREGSET,
                "PTRACE_DETACH",
                Ptrace.DETACH,
                "NT_PRSTATUS",
                Ptrace.NT_PRSTATUS,
                "sizeof user_regs_struct",
                Cpu.ABI.userRegistersSize(),
                "user_regs_struct.r15",
                0,
                "user_regs_struct.rbp",
                32,
                "user_regs_struct.rax",
                80,
                "user_regs_struct.rip",
                128,
                "user_regs_struct.rsp",
                152,
                "P_PID",
                Ptrace.P_PID,
                "WNOHANG",
                Ptrace.WNOHANG,
                "WSTOPPED",
                Ptrace.WSTOPPED,
                "WEXITED",
                Ptrace.WEXITED,
                "WNOWAIT",
                Ptrace.WNOWAIT,
                "__WALL",
                Ptrace.WALL,
                "CLD_TRAPPED",
                Ptrace.CLD_TRAPPED,
                "CLD_STOPPED",
                Ptrace.CLD_STOPPED,
                "sizeof siginfo",
                Ptrace.SIGINFO_SIZE,
                "si_code",
                Ptrace.SI_CODE,
                "si_pid",
                Ptrace.SI_PID,
                "si_status",
                Ptrace.SI_STATUS);
    }

    private static void put(Map<String, Long> map, Object... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], ((Number) namesAndValues[i + 1]).longValue());
        }
    }
}
