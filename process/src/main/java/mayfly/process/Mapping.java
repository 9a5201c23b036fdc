package mayfly.process;

/**
 * One line of /proc/PID/maps, see proc(5).
 *
 * @param start first address
 * @param end first address after it (unsigned)
 * @param readable true if it may be read
 * @param writable true if it may be written
 * @param executable true if it may be executed
 * @param offset offset in the file, in bytes
 * @param device device of the file as the kernel prints it, such as {@code fe:00}
 * @param inode inode of the file, 0 if there is none
 * @param path the file, a name in brackets such as {@code [vdso]}, or empty
 */
public record Mapping(
        long start,
        long end,
        boolean readable,
        boolean writable,
        boolean executable,
        long offset,
        String device,
        long inode,
        String path) {
    /** The kernel's suffix for a file without a name, see proc_pid_maps(5). */
    private static final String DELETED = " (deleted)";

    public boolean contains(long address) {
        return Long.compareUnsigned(address, start) >= 0 && Long.compareUnsigned(address, end) < 0;
    }

    /** Returns the offset in the file of an address that this mapping contains, in bytes. */
    public long inFile(long address) {
        return address - start + offset;
    }

    /** Returns true if this is a mapping of a file, as opposed to anonymous memory or one of the kernel's own. */
    public boolean isFile() {
        return inode != 0 && path.startsWith("/");
    }

    /** Returns true if the file has been unlinked or replaced since it was mapped. */
    public boolean isDeleted() {
        return path.endsWith(DELETED);
    }

    /** Returns the path without the kernel's suffix for a deleted file: the path at the time of the mapping. */
    public String originalPath() {
        return isDeleted() ? path.substring(0, path.length() - DELETED.length()) : path;
    }
}
