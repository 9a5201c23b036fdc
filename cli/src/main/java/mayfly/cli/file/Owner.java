package mayfly.cli.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import mayfly.linux.sys.NewFile;

/**
 * The user to whom the outputs of this process belong. Outputs contain command lines and names from the target, which
 * root may read and other users may not: root's outputs are readable by their owner alone. Under sudo(8), the owner is
 * the user who runs it.
 *
 * @param user the user id
 * @param isAlone true if no other user may read the outputs
 */
record Owner(int user, boolean isAlone) {
    /** Decimal, set by sudo(8). */
    private static final String INVOKER = "SUDO_UID";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /** Returns the owner of the outputs of this process. */
    static Owner ofThisProcess() throws IOException {
        return of((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid"), System.getenv());
    }

    static Owner of(int user, Map<String, String> environment) {
        return user == 0 ? new Owner(invoker(environment.getOrDefault(INVOKER, "")), true) : new Owner(user, false);
    }

    private static int invoker(String id) {
        try {
            return Math.max(0, Integer.parseInt(id));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Gives a new file to this owner. */
    void take(NewFile file) throws IOException {
        if (isAlone) {
            closeToOthers(file);
        }
        if (!Files.getAttribute(file.path(), "unix:uid").equals(user)) {
            give(file);
        }
    }

    /** Makes a new file readable by its owner alone. */
    static void closeToOthers(NewFile file) throws IOException {
        Files.setPosixFilePermissions(file.path(), OWNER_ONLY);
    }

    private void give(NewFile file) {
        try {
            file.giveTo(user);
        } catch (IOException e) {
            // Root remains the owner: the file system has no owners, or this user namespace does not have that user.
        }
    }
}
