package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.function.Supplier;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.sys.Cpu;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.Pidfd;
import mayfly.linux.sys.Poll;
import mayfly.linux.sys.Syscall;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;
import org.jspecify.annotations.Nullable;

/**
 * Memory of another process, copied by process_vm_readv(2) without stopping the process.
 *
 * <p>A short read is a fault. Belongs to one thread.
 */
public final class ProcessMemory implements Memory {
    private static final int BUFFER = 1 << 16;
    /** IOV_MAX, the limit of vectors in one call. */
    private static final int MAX_VECTORS = 1024;

    private static final int MAX_WORDS = 2 * MAX_VECTORS;
    /**
     * Words on one page are read as one vector, because locating a page costs the kernel several times more than
     * copying it.
     */
    private static final int PAGE = Cpu.ABI.architecture().pageSize();

    private final int pid;
    /** Becomes readable once the process has exited; null to read held memory only. */
    private final @Nullable Poll exit;
    /** Returns the memory to read after the process has ended. */
    private final Supplier<@Nullable HeldAddressSpace> held;

    private boolean gone;
    private final MemorySegment buffer;
    /** Two struct iovec, local then remote, see readv(2). */
    private final MemorySegment vectors;

    private final MemorySegment scattered;
    /** The position of each gathered word in the buffer. */
    private final int[] places = new int[MAX_WORDS];

    public ProcessMemory(Pidfd process) {
        this(process, () -> null);
    }

    ProcessMemory(Pidfd process, Supplier<@Nullable HeldAddressSpace> held) {
        this(process.pid(), process, held);
    }

    /**
     * Creates a reader.
     *
     * @param pid the id to read by, which belongs to the process until it has exited
     */
    ProcessMemory(int pid, Pidfd process, Supplier<@Nullable HeldAddressSpace> held) {
        this(pid, new Poll(process.number()), held);
    }

    /** Creates a reader of held memory only, not of the program that the process runs now. */
    ProcessMemory(HeldAddressSpace held) {
        this(0, (Poll) null, () -> held);
    }

    private ProcessMemory(int pid, @Nullable Poll exit, Supplier<@Nullable HeldAddressSpace> held) {
        this.pid = pid;
        this.exit = exit;
        this.held = held;
        buffer = Arena.ofAuto().allocate(BUFFER, PAGE);
        vectors = Arena.ofAuto().allocate(32, 8);
        scattered = Arena.ofAuto().allocate(16L * MAX_VECTORS, 8);
        vectors.set(JAVA_LONG, 0, buffer.address());
    }

    @Override
    public void read(long address, byte[] to, int offset, int length) throws MemoryFault {
        Objects.checkFromIndexSize(offset, length, to.length);
        for (int done = 0; done < length; done += BUFFER) {
            int part = Math.min(BUFFER, length - done);
            fetch(address + done, part);
            MemorySegment.copy(buffer, JAVA_BYTE, 0, to, offset + done, part);
        }
    }

    @Override
    public void readLongs(long address, long[] to, int count) throws MemoryFault {
        Objects.checkFromIndexSize(0, count, to.length);
        for (int done = 0; done < count; done += BUFFER / 8) {
            int part = Math.min(BUFFER / 8, count - done);
            fetch(address + 8L * done, part * 8);
            MemorySegment.copy(buffer, JAVA_LONG, 0, to, done, part);
        }
    }

    @Override
    public int readByte(long address) throws MemoryFault {
        fetch(address, 1);
        return buffer.get(JAVA_BYTE, 0) & 0xff;
    }

    @Override
    public int readShort(long address) throws MemoryFault {
        fetch(address, 2);
        return buffer.get(JAVA_SHORT, 0) & 0xffff;
    }

    @Override
    public int readInt(long address) throws MemoryFault {
        fetch(address, 4);
        return buffer.get(JAVA_INT, 0);
    }

    @Override
    public long readLong(long address) throws MemoryFault {
        fetch(address, 8);
        return buffer.get(JAVA_LONG, 0);
    }

    @Override
    public void gather(long[] addresses, int count, long[] to) throws MemoryFault {
        Objects.checkFromIndexSize(0, count, Math.min(addresses.length, to.length));
        for (int done = 0; done < count; ) {
            done = gather(addresses, done, count, to);
        }
    }

    /**
     * Gathers as many words as one call can, starting with a given one. Returns the index of the first word not read.
     */
    private int gather(long[] addresses, int from, int count, long[] to) throws MemoryFault {
        int vector = -1;
        long start = 0;
        int begin = 0;
        int end = 0;
        int i = from;
        for (; i < count && i - from < MAX_WORDS && end <= BUFFER - PAGE - 8; i++) {
            long distance = addresses[i] - start;
            if (vector < 0 || distance < 0 || (addresses[i] ^ start) >>> 12 != 0) {
                if (++vector == MAX_VECTORS) {
                    break;
                }
                start = addresses[i];
                begin = end;
                distance = 0;
            }
            places[i - from] = begin + (int) distance;
            end = Math.max(end, begin + (int) distance + 8);
            scattered.set(JAVA_LONG, 16L * vector, start);
            scattered.set(JAVA_LONG, 16L * vector + 8, end - begin);
        }
        vectors.set(JAVA_LONG, 8, end);
        long read = call(scattered, Math.min(vector + 1, MAX_VECTORS));
        if (read == -Errno.ESRCH) {
            for (int word = from; word < i; word++) {
                to[word] = readLong(addresses[word]);
            }
            return i;
        }
        for (int word = from; word < i; word++) {
            int at = places[word - from];
            if (at + 8 > read) {
                throw new MemoryFault(addresses[word], 8);
            }
            to[word] = buffer.get(JAVA_LONG_UNALIGNED, at);
        }
        return i;
    }

    private void fetch(long address, int length) throws MemoryFault {
        if (attempt(address, length) != length) {
            throw new MemoryFault(address, length);
        }
    }

    /**
     * Makes one call; returns the number of bytes copied, or a negated errno. The kernel reuses a process id only
     * after the process has exited, so if the process has not exited after the call, the bytes are its own. Otherwise
     * the result is ESRCH.
     */
    private long call(MemorySegment remote, int count) {
        if (exit == null) {
            return -Errno.ESRCH;
        }
        long read = Syscall.call(SystemCall.PROCESS_VM_READV, pid, vectors.address(), 1, remote.address(), count, 0);
        return exit.await(0) == 0 ? read : -Errno.ESRCH;
    }

    /** Copies directly into a segment, up to its size; returns the number of bytes copied, or a negated errno. */
    public long copy(long address, MemorySegment to) {
        vectors.set(JAVA_LONG, 0, to.address());
        vectors.set(JAVA_LONG, 8, to.byteSize());
        vectors.set(JAVA_LONG, 16, address);
        vectors.set(JAVA_LONG, 24, to.byteSize());
        long read = call(vectors.asSlice(16), 1);
        Reference.reachabilityFence(to); // the kernel has only its address
        vectors.set(JAVA_LONG, 0, buffer.address());
        return read;
    }

    /** Copies into the buffer; returns the number of bytes copied, or a negated errno. */
    public long attempt(long address, int length) {
        vectors.set(JAVA_LONG, 8, length);
        vectors.set(JAVA_LONG, 16, address);
        vectors.set(JAVA_LONG, 24, length);
        long read = gone ? -Errno.ESRCH : call(vectors.asSlice(16), 1);
        if (read == -Errno.ESRCH) {
            HeldAddressSpace kept = held.get();
            gone = kept == null;
            return kept == null ? read : kept.read(address, buffer.address(), length);
        }
        return read;
    }

    /** Returns true if a read failed because the process has no memory any more. */
    boolean isGone() {
        return gone;
    }
}
