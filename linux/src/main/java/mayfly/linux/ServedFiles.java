package mayfly.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import mayfly.linux.abi.SystemCall;
import mayfly.linux.proc.Maps;
import mayfly.linux.proc.ProcFile;
import mayfly.linux.proc.ProcLines;
import mayfly.linux.proc.ProcStatus;
import mayfly.linux.sys.Errno;
import mayfly.linux.sys.ErrnoException;
import mayfly.linux.sys.Fd;
import mayfly.linux.sys.Memfd;
import mayfly.linux.sys.Open;
import mayfly.linux.sys.Statx;
import mayfly.linux.sys.Syscall;
import mayfly.process.Mapping;

/**
 * Finds mapped files of another user's process that its user may serve: by FUSE, or by an overlay above FUSE.
 *
 * <p>A program that serves a file can leave every read unanswered, both of the file and of memory where it is mapped.
 * The kernel then keeps even a killed reader until that program ends. File systems that only an administrator can
 * mount are trusted: those of a block device, those of this process's mount namespace, and those of a mount namespace
 * that belongs to this process's user namespace. See proc_pid_mountinfo(5).
 */
final class ServedFiles {
    /** _IO(0xb7, 0x1), see ioctl_nsfs(2). */
    private static final long NS_GET_USERNS = 0xb701;
    /** The major number 0, used for file systems without a block device; 00:00 is anonymous memory. */
    private static final String NO_BLOCK_DEVICE = "00:";

    private static final String ANONYMOUS = "00:00";
    private static final int MAX_DEVICES = 1 << 16;

    private ServedFiles() {}

    /** Returns true if a process belongs to another user. */
    static boolean isOthers(String proc) throws IOException {
        ProcStatus status = ProcStatus.parse(ProcFile.text(proc + "/status", 1 << 16));
        int own = (int) Syscall.call(SystemCall.GETEUID, 0);
        return status.uid() != own || status.euid() != own;
    }

    /** Returns true if only an administrator can have made the mounts that a process sees. */
    static boolean areMountsTrusted(String proc) throws IOException {
        if (Files.readSymbolicLink(Path.of(proc, "ns/mnt"))
                .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")))) {
            return true;
        }
        try (Fd mounts = Open.readOnly(proc + "/ns/mnt");
                Fd owner = new Fd((int) ErrnoException.check(
                        "ioctl NS_GET_USERNS", Syscall.call(SystemCall.IOCTL, mounts.number(), NS_GET_USERNS, 0)));
                Fd own = Open.path("/proc/self/ns/user")) {
            return Statx.of(owner).inode() == Statx.of(own).inode();
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EPERM) {
                return false; // the owner is not this user namespace or one below it
            }
            throw e;
        }
    }

    /**
     * Returns the path of a mapped file that is not on a trusted file system; empty if there is none. Untrusted text.
     *
     * @param space the mappings to check
     */
    static String first(AddressSpace space, String proc, boolean areMountsTrusted) throws IOException {
        Set<String> checked = new HashSet<>();
        Set<String> trusted = new HashSet<>();
        String[] found = {""};
        space.forEachMapping(mapping -> {
            if (found[0].isEmpty() && mayBeServed(mapping) && checked.add(mapping.device())) {
                if (trusted.isEmpty()) {
                    trusted.addAll(trusted(proc, areMountsTrusted));
                }
                found[0] = trusted.contains(mapping.device()) ? "" : mapping.path();
            }
        });
        return found[0];
    }

    /**
     * Returns true for a path that begins with a slash. Paths of the kernel's own files, such as
     * {@code anon_inode:[perf_event]}, do not.
     */
    private static boolean mayBeServed(Mapping mapping) {
        return mapping.device().startsWith(NO_BLOCK_DEVICE)
                && !mapping.device().equals(ANONYMOUS)
                && mapping.path().startsWith("/");
    }

    private static Set<String> trusted(String proc, boolean areMountsTrusted) {
        Set<String> devices = new HashSet<>(Memfd.devices());
        try {
            addAsynchronousIo(devices);
            ProcLines.of("/proc/self/mountinfo", line -> add(line, devices));
            if (areMountsTrusted) {
                Set<String> theirs = new HashSet<>();
                ProcLines.of(proc + "/mountinfo", line -> add(line, theirs));
                // The process may have entered its own namespace before that file was opened; it cannot return from
                // there.
                if (areMountsTrusted(proc)) {
                    devices.addAll(theirs);
                }
            }
        } catch (IOException e) {
            // A file system that was not found is not trusted.
        }
        return devices;
    }

    /**
     * Adds the device of io_setup(2) rings, which are on a file system of the kernel, taken from a ring of this
     * process.
     */
    private static void addAsynchronousIo(Set<String> devices) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(8, 8);
            if (Syscall.call(SystemCall.IO_SETUP, 1, context.address(), 0) == 0) {
                try {
                    Maps.forEach("/proc/self/maps", Long.MAX_VALUE, mapping -> {
                        if (mapping.path().startsWith("/[aio]")) {
                            devices.add(mapping.device());
                        }
                    });
                } finally {
                    Syscall.call(SystemCall.IO_DESTROY, context.get(ValueLayout.JAVA_LONG, 0), 0, 0);
                }
            }
        }
    }

    /**
     * Parses a line like
     * {@code 36 35 0:52 /root /mount/point rw,noatime master:1 - fuse.sshfs source rw,user_id=1000,group_id=1000}.
     */
    static void add(String line, Set<String> devices) {
        String[] mount = line.split(" ", 4);
        int separator = line.indexOf(" - ");
        String[] superblock =
                separator < 0 ? new String[0] : line.substring(separator + 3).split(" ", 3);
        if (mount.length < 4 || superblock.length < 3 || devices.size() >= MAX_DEVICES) {
            return;
        }
        boolean served = superblock[0].equals("fuse") || superblock[0].startsWith("fuse.");
        if (!served || List.of(superblock[2].split(",")).contains("user_id=0")) {
            devices.add(asInMaps(mount[2]));
        }
    }

    /** Converts device numbers from the decimal form of mountinfo to the hexadecimal form of maps(5). */
    private static String asInMaps(String device) {
        int colon = device.indexOf(':');
        try {
            return String.format(
                    Locale.ROOT,
                    "%02x:%02x",
                    Integer.parseInt(device.substring(0, Math.max(0, colon))),
                    Integer.parseInt(device.substring(colon + 1)));
        } catch (NumberFormatException e) {
            return "";
        }
    }
}
