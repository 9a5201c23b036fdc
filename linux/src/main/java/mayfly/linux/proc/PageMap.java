package mayfly.linux.proc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import mayfly.linux.sys.Cpu;
import mayfly.process.Mapping;

/** /proc/PID/pagemap, see proc_pid_pagemap(5): the state of each page of a process. */
public final class PageMap {
    private static final int PAGE = Cpu.ABI.architecture().pageSize();
    private static final long PRESENT = 1L << 63;
    private static final long SWAPPED = 1L << 62;
    /** The page is of a file, or of memory that several processes share. */
    private static final long OF_FILE = 1L << 61;

    private static final int BATCH = 8192;

    private PageMap() {}

    /** Receives the address of a page. */
    public interface Each<X extends Exception> {
        /**
         * Receives the address of a page.
         *
         * @throws X if no more pages are wanted
         */
        void page(long address) throws X;
    }

    /**
     * Reports those pages of a mapped file that are the process's own copies, because they were written.
     *
     * @param proc the process's directory in /proc
     * @throws IOException if the file cannot be read, or the process has released its memory
     * @throws X if the receiver throws it
     */
    public static <X extends Exception> void forEachCopy(String proc, Mapping mapping, Each<X> each)
            throws IOException, X {
        ByteBuffer entries = ByteBuffer.allocate(BATCH * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(Path.of(proc, "pagemap"), StandardOpenOption.READ)) {
            long page = mapping.start() / PAGE;
            long end = mapping.end() / PAGE;
            while (page < end) {
                entries.clear().limit((int) Math.min(BATCH, end - page) * Long.BYTES);
                if (file.read(entries, page * Long.BYTES) < Long.BYTES) {
                    throw new IOException(proc + "/pagemap ends at 0x" + Long.toHexString(page * PAGE));
                }
                entries.flip();
                for (; entries.remaining() >= Long.BYTES; page++) {
                    if (isCopy(entries.getLong())) {
                        each.page(page * PAGE);
                    }
                }
            }
        }
    }

    /**
     * Returns true if the page of a mapped file at an address is the process's own copy.
     *
     * @param proc the process's directory in /proc
     * @throws IOException if the file cannot be read
     */
    public static boolean isCopied(String proc, long address) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(Path.of(proc, "pagemap"), StandardOpenOption.READ)) {
            return file.read(entry, address / PAGE * Long.BYTES) == Long.BYTES && isCopy(entry.getLong(0));
        }
    }

    static boolean isCopy(long entry) {
        return (entry & (PRESENT | SWAPPED)) != 0 && (entry & OF_FILE) == 0;
    }
}
