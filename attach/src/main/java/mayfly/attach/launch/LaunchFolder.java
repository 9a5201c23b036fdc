package mayfly.attach.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.attach.listener.Mounts;
import mayfly.linux.sys.RandomBytes;

/** A new folder that no other user can write to, and from which a library may be loaded. */
final class LaunchFolder {
    private static final List<Path> CANDIDATES = List.of(Path.of("/tmp"), Path.of("/dev/shm"), Path.of("/var/tmp"));

    private static final int RANDOM_BYTES = 16;

    private LaunchFolder() {}

    static Path make() throws IOException, AttachFailed {
        // The path of a mount point may contain any bytes, including those of other line terminators.
        List<String> mounts = List.of(
                new String(Files.readAllBytes(Path.of("/proc/self/mounts")), StandardCharsets.UTF_8).split("\n"));
        for (Path candidate : CANDIDATES) {
            if (Files.isWritable(candidate) && Mounts.mayLoadFrom(candidate.toRealPath(), mounts)) {
                Path folder =
                        Files.createDirectory(candidate.resolve("mayfly-launch-" + RandomBytes.hex(RANDOM_BYTES)));
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
                return folder;
            }
        }
        throw new AttachFailed(
                Status.ATTACH_REFUSED,
                "none of " + CANDIDATES + " can be written to and loaded from (noexec);"
                        + " --print-environment creates the files in a folder that you choose");
    }
}
