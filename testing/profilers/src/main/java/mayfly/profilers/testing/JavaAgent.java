package mayfly.profilers.testing;

import java.lang.instrument.Instrumentation;

/** Not a Mayfly profiler but a standard Java agent, which has a class of the program transformed into itself. */
public final class JavaAgent {
    private static volatile Instrumentation known;

    private JavaAgent() {
    }

    /** Called by the JVM before main; does nothing. */
    public static void premain(String nothing, Instrumentation instrumentation) {
        known = instrumentation;
    }

    /** Has a class transformed by the agent that was loaded before main. */
    public static void transform(String className) throws Exception {
        agentmain(className, known);
    }

    /** Called by the JVM on attach. */
    public static void agentmain(String className, Instrumentation instrumentation) throws Exception {
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().equals(className)) {
                instrumentation.retransformClasses(loaded);
            }
        }
    }
}
