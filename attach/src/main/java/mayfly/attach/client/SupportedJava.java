package mayfly.attach.client;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Properties;
import mayfly.api.Status;
import mayfly.attach.channel.AttachFailed;
import mayfly.linux.LiveProcess;
import mayfly.linux.sys.HeldPath;

/** The versions of Java that can host a profiler. */
public final class SupportedJava {
    /** The first and the last Java in which the host was tested. */
    public static final int OLDEST = 17;
    public static final int NEWEST = 26;
    /** The kernel's suffix for the path of a deleted file. */
    private static final String DELETED = " (deleted)";
    private static final String IN_HOME = "/lib/server";
    /** Up to JDK 8, libraries were in a directory named after the processor. */
    private static final String IN_JDK_8 = "/lib/amd64/server";

    private SupportedJava() {
    }

    /**
     * Returns the feature version of a JVM's Java, from the file {@code release} of its JDK.
     *
     * @param library the path of its libjvm, as the kernel has it
     * @throws AttachFailed if this Java cannot host a profiler, or if the version is unknown
     * @throws IOException if the file cannot be read
     */
    static int require(LiveProcess process, String library) throws IOException, AttachFailed {
        if (library.endsWith(DELETED)) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "the JDK of process " + process.pid()
                    + " was replaced while it runs, so its version is not known");
        }
        String folder = library.substring(0, library.lastIndexOf('/'));
        if (folder.endsWith(IN_JDK_8)) {
            throw new AttachFailed(Status.ATTACH_REFUSED, "JDK 8 is not supported (" + library
                    + "): a profiler can be hosted by Java " + OLDEST + " to " + NEWEST);
        }
        if (!folder.endsWith(IN_HOME)) {
            throw new AttachFailed(Status.ATTACH_REFUSED,
                    library + " is not where a JDK has it, so its version is not known");
        }
        String home = process.asItSees(folder.substring(0, folder.length() - IN_HOME.length()));
        Properties release = new Properties();
        try (HeldPath path = process.hold(home + "/release")) {
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
            throw new AttachFailed(Status.ATTACH_REFUSED, "a profiler can be hosted by Java " + OLDEST + " to " + NEWEST
                    + ", not by " + (feature == 0 ? "an unknown version (" + home + "/release)" : "Java " + feature));
        }
        return feature;
    }
}
