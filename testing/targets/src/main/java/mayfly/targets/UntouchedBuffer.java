package mayfly.targets;

/**
 * {@code UntouchedBuffer LIBRARY COUNT}: COUNT threads, one after the other, each of which is CPU-bound for 30 ms below
 * a native method with a large local variable that it does not touch.
 */
public final class UntouchedBuffer {
    private static final long NANOS = 30_000_000;

    private UntouchedBuffer() {
    }

    /** Uses CPU time above a buffer of 256 KiB. */
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
