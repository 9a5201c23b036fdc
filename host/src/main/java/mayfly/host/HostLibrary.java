package mayfly.host;

import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;

/** Provides the libraries to the trigger. It is the only class of this package that is not sent to the target. */
public final class HostLibrary {

    private HostLibrary() {}

    /** Opens the host's library for Linux on x86-64; null if the build had no C compiler. */
    public static @Nullable InputStream open() {
        return HostLibrary.class.getResourceAsStream("libmayflyhost.so");
    }

    /**
     * Opens the library for the command line of a JVM that starts with a profiler; null if the build had no C compiler.
     */
    public static @Nullable InputStream openLaunch() {
        return HostLibrary.class.getResourceAsStream("libmayflylaunch.so");
    }

    /**
     * Opens the library by which a JVM starts with a profiler only if it can open the launch library; null if the build
     * had no C compiler.
     */
    public static @Nullable InputStream openPreload() {
        return HostLibrary.class.getResourceAsStream("libmayflypreload.so");
    }

    /** Returns a class of ASM, which is sent to a target if the profiler may insert probes. */
    public static Class<?> ofAsm() {
        return ClassReader.class;
    }
}
