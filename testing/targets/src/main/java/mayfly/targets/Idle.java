package mayfly.targets;

/** Does nothing but wait for a line. */
public final class Idle {
    private Idle() {
    }

    public static void main(String[] args) {
        Talk.untilExit("idle", line -> line);
    }
}
