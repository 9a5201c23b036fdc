package mayfly.attach.client;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The jar or directory from which a class was loaded. The protection domain of a class does not have it: if the JVM has
 * a start-up cache, the domain has the location at the time when the cache was made.
 */
public final class ClassLocation {

    private ClassLocation() {}

    /**
     * Returns the location of a top-level class.
     *
     * @throws IOException if the class is from neither a jar nor a directory
     */
    public static Path of(Class<?> one) throws IOException {
        @Nullable URL file = one.getResource(one.getSimpleName() + ".class");
        if (file == null) {
            throw new IOException("the location of " + one + " is unknown");
        }
        try {
            if (file.openConnection() instanceof JarURLConnection jar) {
                return Path.of(jar.getJarFileURL().toURI());
            }
            if (file.getProtocol().equals("file")) {
                return Path.of(file.toURI()).resolve("../".repeat(names(one))).normalize();
            }
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
        throw new IOException("the location of " + one + " is not a file: " + file);
    }

    /** Returns the number of names of a class: those of its packages, and its own. */
    private static int names(Class<?> one) {
        return one.getName().split("\\.", -1).length;
    }
}
