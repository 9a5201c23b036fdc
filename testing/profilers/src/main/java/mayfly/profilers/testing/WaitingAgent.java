package mayfly.profilers.testing;

/** A Java agent whose start occupies the attach listener until the target releases it. */
public final class WaitingAgent {
    private WaitingAgent() {}

    /** Called on the thread of the attach listener. */
    public static void agentmain(String arguments) {
        System.err.println("the agent waits");
        while (System.getProperty("mayfly.testing.release") == null) {
            Thread.onSpinWait();
        }
    }
}
