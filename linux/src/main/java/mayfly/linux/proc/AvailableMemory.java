package mayfly.linux.proc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory still available to this process and its children, as the kernel reports it: free memory of the machine, the
 * limits of this process's control groups, and its own limit on address space. A value that cannot be read limits
 * nothing.
 *
 * @param bytes the available bytes; {@link Long#MAX_VALUE} if nothing limits them
 * @param limit the description of the smallest limit, for a user
 */
public record AvailableMemory(long bytes, String limit) {
    private static final int SMALL_FILE = 1 << 20;
    /** Lower bound of "no limit": a version 1 group without a limit reports a number near the largest one. */
    private static final long NO_LIMIT = 1L << 60;

    /**
     * Returns the memory available now.
     *
     * @param heap the maximum heap size of this process in bytes: a child process without this heap uses that much less
     *         address space
     */
    public static AvailableMemory now(long heap) {
        return of(Path.of("/"), heap);
    }

    /** Reads the same files below another directory, which contains {@code proc} and {@code sys}. */
    static AvailableMemory of(Path root, long heap) {
        var least = new AvailableMemory(
                field(root.resolve("proc/meminfo"), "MemAvailable:", 1024), "the machine has no more");
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            // hierarchy-ID:controller-list:cgroup-path, see cgroups(7)
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && parts[1].isEmpty()) {
                least = least.and(groups(root.resolve("sys/fs/cgroup"), parts[2], false));
                least = least.and(groups(root.resolve("sys/fs/cgroup/unified"), parts[2], false));
            } else if (parts.length == 3 && List.of(parts[1].split(",")).contains("memory")) {
                least = least.and(groups(root.resolve("sys/fs/cgroup/memory"), parts[2], true));
            }
        }
        return least.and(addressSpace(root, heap));
    }

    private AvailableMemory and(AvailableMemory other) {
        return other.bytes < bytes ? other : this;
    }

    /**
     * Returns the smallest limit of a group and its ancestors: each can have one. In a container the path may begin
     * outside the mount.
     */
    private static AvailableMemory groups(Path mount, String path, boolean first) {
        var least = new AvailableMemory(Long.MAX_VALUE, "");
        @Nullable Path group = mount.resolve(path.replaceFirst("^/+", "")).normalize();
        while (group != null && group.startsWith(mount)) {
            least = least.and(group(group, first));
            group = group.getParent();
        }
        return least;
    }

    /**
     * Returns the limit of one group, see the kernel's cgroup-v2.rst and cgroup-v1/memory.rst. Unused pages of files
     * count as available, because the kernel reclaims them.
     */
    private static AvailableMemory group(Path group, boolean first) {
        long most = number(group.resolve(first ? "memory.limit_in_bytes" : "memory.max"));
        if (most < 0 || most > NO_LIMIT) {
            return new AvailableMemory(Long.MAX_VALUE, "");
        }
        long used = Math.max(0, number(group.resolve(first ? "memory.usage_in_bytes" : "memory.current")));
        long reclaimable = field(group.resolve("memory.stat"), first ? "total_inactive_file" : "inactive_file", 1);
        long free = most - used + (reclaimable == Long.MAX_VALUE ? 0 : Math.min(reclaimable, used));
        return new AvailableMemory(Math.max(0, free), "the control group may use no more");
    }

    /** Returns the address space that is still available under RLIMIT_AS: getrlimit(2), ulimit -v. */
    private static AvailableMemory addressSpace(Path root, long heap) {
        for (String line : lines(root.resolve("proc/self/limits"))) {
            if (line.startsWith("Max address space")) {
                String soft =
                        line.substring("Max address space".length()).strip().split(" +", 2)[0];
                long mapped = field(root.resolve("proc/self/status"), "VmSize:", 1024);
                if (soft.matches("[0-9]{1,18}") && mapped != Long.MAX_VALUE) {
                    return new AvailableMemory(
                            Math.max(0, Long.parseLong(soft) - mapped + heap), "ulimit -v permits no more");
                }
            }
        }
        return new AvailableMemory(Long.MAX_VALUE, "");
    }

    private static long number(Path file) {
        List<String> lines = lines(file);
        return lines.size() == 1 && lines.getFirst().matches("[0-9]{1,19}") ? parse(lines.getFirst()) : -1;
    }

    /** Returns a value of a file of names and values, in bytes; {@link Long#MAX_VALUE} if it is missing. */
    private static long field(Path file, String name, long unit) {
        for (String line : lines(file)) {
            String[] words = line.split("\\s+");
            if (words.length > 1 && words[0].equals(name) && words[1].matches("[0-9]{1,15}")) {
                return Long.parseLong(words[1]) * unit;
            }
        }
        return Long.MAX_VALUE;
    }

    private static long parse(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE; // 2^63 and more
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file)
                    ? ProcFile.text(file.toString(), SMALL_FILE).lines().toList()
                    : List.of();
        } catch (IOException e) {
            return List.of(); // not accessible to this user
        }
    }
}
