package mayfly.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import mayfly.process.Memory;
import mayfly.process.MemoryFault;

/**
 * process_vm_readv(2): copies another process's memory without stopping it.
 *
 * <p>A read that comes back short is a fault. Belongs to one thread.
 */
final class ProcessMemory implements Memory {
    private static final int BUFFER = 1 << 16;
    /** IOV_MAX, the most that one call takes. */
    private static final int MOST_VECTORS = 1024;

    private final int pid;
    private final MemorySegment buffer;
    /** Two struct iovec, local then remote, see readv(2). */
    private final MemorySegment vectors;
    private final MemorySegment scattered;

    ProcessMemory(int pid) {
        this.pid = pid;
        buffer = Arena.ofAuto().allocate(BUFFER, 4096);
        vectors = Arena.ofAuto().allocate(32, 8);
        scattered = Arena.ofAuto().allocate(16L * MOST_VECTORS, 8);
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
        for (int done = 0; done < count; done += MOST_VECTORS) {
            int part = Math.min(MOST_VECTORS, count - done);
            for (int i = 0; i < part; i++) {
                scattered.set(JAVA_LONG, 16L * i, addresses[done + i]);
                scattered.set(JAVA_LONG, 16L * i + 8, 8);
            }
            vectors.set(JAVA_LONG, 8, 8L * part);
            long read = Syscall.call(Syscall.PROCESS_VM_READV, pid, vectors.address(), 1, scattered.address(), part, 0);
            if (read != 8L * part) {
                throw new MemoryFault(addresses[done + (int) Math.max(0, Math.min(read / 8, part - 1))], 8);
            }
            MemorySegment.copy(buffer, JAVA_LONG, 0, to, done, part);
        }
    }

    private void fetch(long address, int length) throws MemoryFault {
        if (attempt(address, length) != length) {
            throw new MemoryFault(address, length);
        }
    }

    /** Copies to the buffer; the bytes copied, or a negated errno. */
    long attempt(long address, int length) {
        vectors.set(JAVA_LONG, 8, length);
        vectors.set(JAVA_LONG, 16, address);
        vectors.set(JAVA_LONG, 24, length);
        long local = vectors.address();
        return Syscall.call(Syscall.PROCESS_VM_READV, pid, local, 1, local + 16, 1, 0);
    }
}
