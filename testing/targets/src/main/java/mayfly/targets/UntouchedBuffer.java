package mayfly.targets;

/**
 * {@code UntouchedBuffer LIBRARY COUNT}: COUNT threads, one after the other, each of which is CPU-bound for 30 ms below
 * a native method with a buffer of 256 KiB, of which it touches only one page.
 */
public final class UntouchedBuffer {
    private static final long NANOS = 30_000_000;

    private UntouchedBuffer() {}

    /** Uses this much CPU time, in ns, with a buffer of 256 KiB on the stack. */
    static native void burn(long nanos);

    public static void main(String[] args) throws InterruptedException {
        System.load(args[0]);
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            Thread young = new Thread(() -> burn(NANOS), "young");
            young.start();
            young.join();
        }
    }
}
