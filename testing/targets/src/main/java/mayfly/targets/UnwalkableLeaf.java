package mayfly.targets;

import java.io.IOException;

/**
 * {@code UnwalkableLeaf LIBRARY recorded|unrecorded}: the thread {@code unwalkable} spins in machine code without
 * call-frame information, and with a destroyed frame pointer.
 *
 * <ul>
 * <li>{@code recorded}: a native method calls the code, so the JVM has recorded the last Java frame.
 * <li>{@code unrecorded}: the code is the handler of a signal that interrupts Java code, so the JVM has recorded none.
 * </ul>
 */
public final class UnwalkableLeaf {
    private static volatile boolean called;
    private static volatile long count;

    private UnwalkableLeaf() {}

    /** Maps the code. */
    private static native boolean map();

    /** Never returns. */
    private static native void spin();

    /** Makes the calling thread the one that {@link #interrupt} interrupts. */
    private static native void note();

    private static native boolean interrupt();

    /** Returns true if the thread is in the code. */
    private static native boolean spins();

    public static void main(String[] args) throws IOException {
        System.load(args[0]);
        boolean recorded = args[1].equals("recorded");
        if (!map()) {
            throw new IOException("cannot map executable memory");
        }
        Thread thread = new Thread(recorded ? UnwalkableLeaf::call : UnwalkableLeaf::count, "unwalkable");
        thread.setDaemon(true);
        thread.start();
        if (!recorded) {
            while (!called) {
                Thread.onSpinWait();
            }
            if (!interrupt()) {
                throw new IOException("cannot send a signal");
            }
        }
        while (!spins()) {
            Thread.onSpinWait();
        }
        System.out.println("READY unwalkable");
        System.in.read();
    }

    private static void call() {
        spin();
    }

    private static void count() {
        note();
        count++; // later uses of the field do not call the VM
        called = true;
        while (true) {
            count++;
        }
    }
}
