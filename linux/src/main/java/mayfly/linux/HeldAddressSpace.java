package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.proc.Maps;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Poll;
import mayfly.linux.sys.Syscall;
import mayfly.process.Mapping;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a process, held until closed: it stays readable after the process has ended or has called execve(2).
 *
 * <p>The kernel frees an address space when its last user releases it. A process_vm_readv(2) in progress is such a
 * user, so a thread of this process starts one whose destination is a page that userfaultfd(2) has not filled yet. The
 * target cannot observe this, and it ends normally. A stop signal to this process ends the call, and so does the end of
 * this process.
 *
 * <p>Needs CAP_SYS_PTRACE, or vm.unprivileged_userfaultfd.
 */
public final class HeldAddressSpace implements AutoCloseable {
    private static final int O_NONBLOCK = 0x800;
    private static final long API = 0xAA;
    private static final long UFFDIO_API = 0xc018_aa3fL;
    private static final long UFFDIO_REGISTER = 0xc020_aa00L;
    private static final long REGISTER_MODE_MISSING = 1;
    private static final int PAGE = Cpu.ABI.architecture().pageSize();
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    /** Upper bound on the time that the thread takes to begin its read. */
    private static final int BEGIN_MILLIS = 2_000;

    private final Fd userfault;
    private final long page;
    private final Fd memory;
    private final Fd maps;
    private final Thread holder;
    private volatile boolean released;

    private HeldAddressSpace(LiveProcess process, Fd userfault, long page, Fd memory, Fd maps, long readable) {
        this.userfault = userfault;
        this.page = page;
        this.memory = memory;
        this.maps = maps;
        int pid = process.pid();
        this.holder =
                Thread.ofPlatform().daemon().name("address space of " + pid).unstarted(() -> hold(process, readable));
    }

    /** Returns true if this process has the permissions that holding needs. */
    public static boolean isPermitted() {
        long page = Syscall.call(SystemCall.MMAP, 0, PAGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (page < 0) {
            return false;
        }
        try (Fd userfault = userfault()) {
            register(userfault, page);
            return true;
        } catch (ErrnoException e) {
            return false;
        } finally {
            Syscall.call(SystemCall.MUNMAP, page, PAGE, 0);
        }
    }

    private static Fd userfault() throws ErrnoException {
        return new Fd((int)
                ErrnoException.check("userfaultfd", Syscall.call(SystemCall.USERFAULTFD, Open.O_CLOEXEC | O_NONBLOCK)));
    }

    /**
     * Holds the present memory of a process.
     *
     * @param isSame true while the process has not called execve(2) since the call of this method
     * @return null if holding is not permitted, or if the process has ended or called execve(2)
     */
    static @Nullable HeldAddressSpace of(LiveProcess process, BooleanSupplier isSame) {
        Fd userfault = null;
        Fd memory = null;
        Fd maps = null;
        long page = 0;
        HeldAddressSpace held = null;
        try {
            userfault = userfault();
            page = ErrnoException.check(
                    "mmap", Syscall.call(SystemCall.MMAP, 0, PAGE, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0));
            register(userfault, page);
            memory = Open.readOnly(process.proc() + "/mem");
            maps = Open.readOnly(process.proc() + "/maps");
            Mapping any = process.mappings().stream()
                    .filter(HeldAddressSpace::isReadable)
                    .findFirst()
                    .orElse(null);
            if (any == null) {
                return null;
            }
            held = new HeldAddressSpace(process, userfault, page, memory, maps, any.start());
            return held.begin(process, isSame) ? held : null;
        } catch (IOException e) {
            return null;
        } finally {
            if (held == null || held.released) {
                close(userfault);
                close(memory);
                close(maps);
                if (page != 0) {
                    Syscall.call(SystemCall.MUNMAP, page, PAGE, 0);
                }
            }
        }
    }

    private static boolean isReadable(Mapping mapping) {
        return mapping.start() > 0 && mapping.executable();
    }

    private static void close(@Nullable Fd fd) {
        if (fd != null) {
            fd.close();
        }
    }

    /** Registers a page by struct uffdio_api and struct uffdio_register, see linux/userfaultfd.h. */
    private static void register(Fd userfault, long page) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment argument = arena.allocate(32, 8);
            argument.set(JAVA_LONG, 0, API);
            ErrnoException.check(
                    "UFFDIO_API", Syscall.call(SystemCall.IOCTL, userfault.number(), UFFDIO_API, argument.address()));
            argument.set(JAVA_LONG, 0, page);
            argument.set(JAVA_LONG, 8, PAGE);
            argument.set(JAVA_LONG, 16, REGISTER_MODE_MISSING);
            ErrnoException.check(
                    "UFFDIO_REGISTER",
                    Syscall.call(SystemCall.IOCTL, userfault.number(), UFFDIO_REGISTER, argument.address()));
        }
    }

    /**
     * Starts the thread and waits until its read blocks on the page: from then on an address space is held. This may
     * already be the address space of the next program; it is then released, and the result is false.
     */
    private boolean begin(LiveProcess process, BooleanSupplier isSame) throws ErrnoException {
        holder.start();
        boolean begun = false;
        for (int i = 0; i < BEGIN_MILLIS && !begun && holder.isAlive() && isSame.getAsBoolean(); i++) {
            begun = Poll.readable(userfault.number(), 1) > 0;
        }
        // Checked by id: if the process has exited meanwhile, the memory may belong to another process.
        if (begun && isSame.getAsBoolean() && process.life().isAlive()) {
            return true;
        }
        release();
        return false;
    }

    /** Repeats the call if a signal has ended it. */
    private void hold(LiveProcess process, long readable) {
        int pid = process.pid();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment vectors = arena.allocate(32, 8);
            vectors.set(JAVA_LONG, 0, page);
            vectors.set(JAVA_LONG, 8, 8);
            vectors.set(JAVA_LONG, 16, readable);
            vectors.set(JAVA_LONG, 24, 8);
            long read;
            do {
                read = Syscall.call(
                        SystemCall.PROCESS_VM_READV, pid, vectors.address(), 1, vectors.address() + 16, 1, 0);
            } while (!released
                    && (read == -Errno.EFAULT || read == -Errno.EINTR || read == 0)
                    && process.life().isAlive());
        }
    }

    /**
     * Copies held memory to an address of this process. Returns the number of bytes copied, or a negated errno: ESRCH
     * after {@link #close()}.
     */
    long read(long address, long to, long length) {
        return released ? -Errno.ESRCH : Syscall.call(SystemCall.PREAD64, memory.number(), to, length, address);
    }

    /** Returns the mappings. The kernel keeps them until the process has been waited for. */
    List<Mapping> read(int pid) throws IOException {
        try (InputStream text = mappings()) {
            return Maps.read(text, "the held maps of process " + pid);
        }
    }

    private InputStream mappings() {
        return new InputStream() {
            private long at;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment chunk = arena.allocate(Math.max(1, length));
                    long read = ErrnoException.check(
                            "pread of maps",
                            Syscall.call(SystemCall.PREAD64, maps.number(), chunk.address(), length, at));
                    MemorySegment.copy(chunk, JAVA_BYTE, 0, to, offset, (int) read);
                    at += read;
                    return read == 0 && length > 0 ? -1 : (int) read;
                }
            }
        };
    }

    /** Ends the read: once the userfaultfd is closed, the kernel fills the page with zeros. */
    private void release() {
        released = true;
        userfault.close();
        boolean interrupted = false;
        while (holder.isAlive()) {
            try {
                holder.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Releases the memory. */
    @Override
    public void close() {
        if (!released) {
            release();
            memory.close();
            maps.close();
            Syscall.call(SystemCall.MUNMAP, page, PAGE, 0);
        }
    }
}
