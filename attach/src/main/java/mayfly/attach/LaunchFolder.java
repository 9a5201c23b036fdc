package mayfly.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import mayfly.api.Status;
import mayfly.linux.sys.RandomBytes;

/** A new folder that nobody else can write to, from which a library may be loaded. */
final class LaunchFolder {
    private static final List<Path> CANDIDATES = List.of(Path.of("/tmp"), Path.of("/dev/shm"), Path.of("/var/tmp"));

    private static final int RANDOM_BYTES = 16;

    private LaunchFolder() {
    }

    static Path make() throws IOException, AttachFailed {
        List<String> mounts = Files.readAllLines(Path.of("/proc/self/mounts"));
        for (Path candidate : CANDIDATES) {
            if (Files.isWritable(candidate) && mayLoadFrom(candidate.toRealPath(), mounts)) {
                Path folder = Files.createDirectory(candidate.resolve("mayfly-launch-" + RandomBytes.hex(RANDOM_BYTES)));
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
                return folder;
            }
        }
        throw new AttachFailed(Status.ATTACH_REFUSED, "none of " + CANDIDATES + " can be written to and loaded from (noexec);"
                + " --print-environment makes the files in a folder of yours");
    }

    /** The mount that a path is on is the last one above it; proc(5) has its options in the fourth field. */
    static boolean mayLoadFrom(Path path, List<String> mounts) {
        Path at = Path.of("/");
        boolean may = true;
        for (String line : mounts) {
            String[] fields = line.split(" ");
            Path mount = Path.of(fields.length < 4 ? "/" : fields[1].replace("\\040", " "));
            if (fields.length >= 4 && path.startsWith(mount) && mount.getNameCount() >= at.getNameCount()) {
                at = mount;
                may = !List.of(fields[3].split(",")).contains("noexec");
            }
        }
        return may;
    }
}
