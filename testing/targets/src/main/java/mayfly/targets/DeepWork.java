package mayfly.targets;

/** One thread that works at the bottom of a recursion. The argument is the number of calls. */
public final class DeepWork {
    private static final long STACK = 1L << 30;

    private DeepWork() {}

    public static void main(String[] args) {
        int depth = Integer.parseInt(args[0]);
        Thread deep = new Thread(null, () -> descend(depth), "deep", STACK);
        deep.setDaemon(true);
        deep.start();
        LineProtocol.untilExit("deep work", line -> line);
    }

    private static long descend(int levels) {
        if (levels > 0) {
            return descend(levels - 1) + 1;
        }
        long x = 1;
        while (true) {
            x = Work.spin(100_000, x);
            Work.sink = x;
        }
    }
}
