package mayfly.host;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Where the trigger finds the libraries. The one class of this package that stays with the trigger. */
public final class HostLibrary {

    private HostLibrary() {}

    /** The host's library for Linux on x86-64; null if this was built without a C compiler. */
    public static @Nullable InputStream open() {
        return HostLibrary.class.getResourceAsStream("libmayflyhost.so");
    }

    /** What a JVM that starts with a profiler has on its command line; null if this was built without a C compiler. */
    public static @Nullable InputStream openLaunch() {
        return HostLibrary.class.getResourceAsStream("libmayflylaunch.so");
    }
}
