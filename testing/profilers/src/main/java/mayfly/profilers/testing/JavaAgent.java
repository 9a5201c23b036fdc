package mayfly.profilers.testing;

import java.lang.instrument.Instrumentation;

/** No profiler of Mayfly's: an agent of the JDK's own kind, which has a class of the program transformed, into what it was. */
public final class JavaAgent {
    private static volatile Instrumentation known;

    private JavaAgent() {
    }

    /** Called by the JVM before main: it does nothing yet. */
    public static void premain(String nothing, Instrumentation instrumentation) {
        known = instrumentation;
    }

    /** Has a class transformed, by the agent that came before main. */
    public static void transform(String className) throws Exception {
        agentmain(className, known);
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
