package mayfly.attach.client;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Properties;
import mayfly.attach.channel.AttachFailed;
import mayfly.discovery.Refused;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;

/** The versions of Java that can host a profiler. */
public final class SupportedJava {
    /** The oldest Java in which the host has been tested. */
    public static final int OLDEST = 17;
    /** The newest Java in which the host has been tested. */
    public static final int NEWEST = 26;
    /** The kernel's suffix for the path of a deleted file. */
    private static final String DELETED = " (deleted)";

    private static final String IN_HOME = "/lib/server";
    /** Up to JDK 8, libraries were in a directory named after the processor. */
    private static final String IN_JDK_8 = "/lib/amd64/server";

    private SupportedJava() {}

    /**
     * Returns the feature version of a JVM's Java, from the file {@code release} of its JDK.
     *
     * @param library the path of its libjvm, as the kernel reports it
     * @throws AttachFailed if this Java cannot host a profiler, or if the version is unknown
     * @throws IOException if the file cannot be read
     */
    static int require(LiveProcess process, String library) throws IOException, AttachFailed {
        if (library.endsWith(DELETED)) {
            throw unsupported("the JDK of process " + process.pid()
                    + " was replaced while the process was running, so its version is not known");
        }
        String folder = library.substring(0, library.lastIndexOf('/'));
        if (folder.endsWith(IN_JDK_8)) {
            throw unsupported("JDK 8 is not supported (" + library + "): a profiler can be hosted by Java " + OLDEST
                    + " to " + NEWEST);
        }
        if (!folder.endsWith(IN_HOME)) {
            throw unsupported(library + " is not in the layout of a JDK, so its version is not known");
        }
        String home = process.facts().asItSees(folder.substring(0, folder.length() - IN_HOME.length()));
        Properties release = new Properties();
        try (HeldPath path = process.files().hold(home + "/release")) {
            if (path.isRegularFile()) {
                release.load(new StringReader(new String(path.bytes(1 << 16), StandardCharsets.UTF_8)));
            }
        } catch (NoSuchFileException | IllegalArgumentException e) {
            release.clear(); // without a version
        }
        String version = release.getProperty("JAVA_VERSION", "").replace("\"", "");
        int feature;
        try {
            feature = Integer.parseInt(version.split("[.+-]", 2)[0]);
        } catch (NumberFormatException e) {
            feature = 0;
        }
        if (feature < OLDEST || feature > NEWEST) {
            throw unsupported("a profiler can be hosted by Java " + OLDEST + " to " + NEWEST + ", not by "
                    + (feature == 0 ? "an unknown version (" + home + "/release)" : "Java " + feature));
        }
        return feature;
    }

    private static AttachFailed unsupported(String message) {
        return new AttachFailed(new Refused(Refused.Reason.UNSUPPORTED_VM, message, ""));
    }
}
