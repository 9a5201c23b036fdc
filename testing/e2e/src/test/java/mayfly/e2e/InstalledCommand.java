package mayfly.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import mayfly.kit.Project;
import mayfly.kit.Shell;

/** A command that runs the launcher of this checkout, and never starts a build. */
final class InstalledCommand {
    private InstalledCommand() {}

    /** Puts the command into a folder, which then is a home of Mayfly for the library. */
    static Path in(Path folder) throws IOException {
        Path command = Files.writeString(
                folder.resolve("mayfly"),
                "#!/bin/sh\nMAYFLY_NO_BUILD=1 exec "
                        + Shell.line(List.of(Project.launcher().toString())) + " \"$@\"\n");
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
        return folder;
    }
}
