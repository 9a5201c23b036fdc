package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mayfly.kit.Command;
import mayfly.kit.Patience;
import org.jspecify.annotations.Nullable;

/**
 * A root directory in which an archive is run with an empty environment. The mounts are in a private namespace and end
 * with the command.
 *
 * @param folder the directory; its folder {@code out} can be written in any case
 * @param archive the unpacked archive, which is mounted at {@link #HOME}; null if its contents are in the directory
 * @param user the user, as {@code uid:gid}
 * @param readOnly true if the root directory cannot be written
 * @param hasProc true if {@code /proc} is mounted
 */
record ArchiveRoot(Path folder, @Nullable Path archive, String user, boolean readOnly, boolean hasProc) {
    /** The path of the archive inside. */
    static final String HOME = "/mayfly";

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final List<String> NEW_MOUNTS = List.of("unshare", "--mount", "--propagation", "private");
    private static final String ENTER = """
        root=$1; archive=$2; user=$3; mode=$4; proc=$5; shift 5
        mount --bind "$root" "$root" && mount --bind "$root/out" "$root/out" || exit 99
        if [ -n "$archive" ]; then
            mount --bind "$archive" "$root/mayfly" && mount -o remount,bind,ro "$root/mayfly" || exit 99
        fi
        [ -z "$proc" ] || mount --rbind /proc "$root/proc" || exit 99
        mount -o "remount,bind,$mode" "$root" || exit 99
        exec env -i "$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)" --userspec="$user" "$root" "$@"
        """;

    /** Skips the test if no root directory can be entered here. */
    static void assumePermitted() {
        Privileges.assumeRoot("to enter another root directory");
        Denial.assumeWorks(NEW_MOUNTS);
    }

    /** Adds the mount points to a folder, which becomes a root directory with an archive. */
    static ArchiveRoot in(Path folder, Archive archive) throws IOException {
        for (String name : List.of("proc", "out", HOME.substring(1))) {
            Files.createDirectories(folder.resolve(name));
        }
        return new ArchiveRoot(folder, archive.home(), "0:0", false, true);
    }

    /** Returns a root directory with the contents of an archive. */
    static ArchiveRoot of(Path folder, Archive archive) throws IOException {
        Command copied = Command.run(LIMIT, "cp", "-a", archive.home().toString(), folder.toString());
        if (copied.exitCode() != 0) {
            throw new AssertionError(copied.evidence());
        }
        Files.createDirectory(folder.resolve("proc"));
        Files.createDirectory(folder.resolve("out"));
        return new ArchiveRoot(folder, null, "0:0", false, true);
    }

    /** The same for a user, who owns the folder {@code out}. */
    ArchiveRoot as(int uid) throws IOException {
        Files.setAttribute(out(), "unix:uid", uid);
        return new ArchiveRoot(folder, archive, uid + ":" + uid, readOnly, hasProc);
    }

    ArchiveRoot withReadOnlyFiles() {
        return new ArchiveRoot(folder, archive, user, true, hasProc);
    }

    ArchiveRoot withoutProc() {
        return new ArchiveRoot(folder, archive, user, readOnly, false);
    }

    /** Returns the folder {@code /out} as it is seen outside. */
    Path out() {
        return folder.resolve("out");
    }

    /** Runs a command of the archive in {@code /}. */
    Command mayfly(String... arguments) {
        List<String> line = new ArrayList<>(NEW_MOUNTS);
        Path mounted = archive;
        line.addAll(List.of(
                "sh",
                "-c",
                ENTER,
                "sh",
                folder.toString(),
                mounted == null ? "" : mounted.toString(),
                user,
                readOnly ? "ro" : "rw",
                hasProc ? "yes" : "",
                (mounted == null ? "" : HOME) + "/mayfly"));
        line.addAll(List.of(arguments));
        return Command.run(Patience.of(LIMIT), line, folder, Map.of());
    }
}
