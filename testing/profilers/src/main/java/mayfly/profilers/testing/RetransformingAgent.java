package mayfly.profilers.testing;

import java.lang.instrument.Instrumentation;

/** A standard Java agent, not a Mayfly profiler. It retransforms a class of the program without changing it. */
public final class RetransformingAgent {
    private static volatile Instrumentation known;

    private RetransformingAgent() {}

    /** Called by the JVM before main. Only stores the instrumentation for {@link #transform}. */
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
