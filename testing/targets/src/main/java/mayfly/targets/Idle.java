package mayfly.targets;

/** Does nothing but wait for a line. */
public final class Idle {
    private Idle() {}

    public static void main(String[] args) {
        LineProtocol.untilExit("idle", line -> line);
    }
}
