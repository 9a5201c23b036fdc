package mayfly.profilers.testing;

import java.lang.instrument.Instrumentation;

/** No profiler of Mayfly's: an agent of the JDK's own kind, which has a class of the program transformed, into what it was. */
public final class JavaAgent {
    private JavaAgent() {
    }

    /** Called by the JVM. */
    public static void agentmain(String className, Instrumentation instrumentation) throws Exception {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(className)) {
                instrumentation.retransformClasses(loaded);
            }
        }
    }
}
