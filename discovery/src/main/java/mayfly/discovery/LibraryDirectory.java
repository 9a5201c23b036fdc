package mayfly.discovery;

import java.util.Locale;
import mayfly.wire.HostName;

/** Names of directories that hold the host's library until a target has loaded it: {@code .mayfly-}, 16 hex digits. */
public final class LibraryDirectory {
    private LibraryDirectory() {}

    /**
     * Returns the beginning of the name of a target's directory; 8 random hex digits follow it. The beginning
     * identifies the process that the directory belongs to, so that an audit of another process does not attribute
     * the directory to the audited process. Knowledge of the name gives no access to any file.
     *
     * @param pid the target's id in its own pid namespace
     */
    public static String prefix(int pid) {
        return HostName.FILE + String.format(Locale.ROOT, "%08x", pid);
    }
}
