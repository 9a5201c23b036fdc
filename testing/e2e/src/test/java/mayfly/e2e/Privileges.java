package mayfly.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import mayfly.kit.Project;

/** The user who runs the tests, and commands that run as another user. */
final class Privileges {
    private static final int NOBODY = 65534;

    private Privileges() {}

    static boolean isRoot() {
        return Integer.valueOf(0).equals(owner(Path.of("/proc/self")));
    }

    static void assumeRoot(String why) {
        assumeTrue(isRoot(), "needs root: " + why);
    }

    /** Returns a prefix that runs a command as a user without privileges; skips the test if that is impossible. */
    static List<String> asNobody() {
        return List.of(as(NOBODY));
    }

    /** Returns such a prefix for the user with this id, who may have no name. */
    static String[] as(int uid) {
        assumeRoot("to become an ordinary user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "needs setpriv");
        for (Path at = Project.root(); at != null; at = at.getParent()) {
            assumeTrue(othersMayEnter(at), "an ordinary user may not enter " + at);
        }
        return new String[] {"setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups"};
    }

    /** Gives a folder to the user of {@link #asNobody}. */
    static Path giveToNobody(Path folder) throws IOException {
        Files.setAttribute(folder, "unix:uid", NOBODY);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return folder;
    }

    private static boolean othersMayEnter(Path folder) {
        try {
            return Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE);
        } catch (IOException e) {
            return false;
        }
    }

    private static Object owner(Path file) {
        try {
            return Files.getAttribute(file, "unix:uid");
        } catch (IOException e) {
            return -1;
        }
    }
}
