package mayfly.e2e;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A target with a thread, {@code unwalkable}, that spins in undescribed machine code with a destroyed frame pointer.
 * The JVM has recorded its last Java frame ({@code noted}), or has not ({@code critical}).
 */
final class Unwalkable {
    /** xor ebp, ebp; jmp to itself. */
    private static final byte[] CODE = {0x31, (byte) 0xed, (byte) 0xeb, (byte) 0xfe};
    /** mmap(2) on x86-64: PROT_READ|WRITE|EXEC, MAP_PRIVATE|MAP_ANONYMOUS. */
    private static final int PROTECTION = 7;

    private static final int ANONYMOUS = 0x22;

    private Unwalkable() {}

    @SuppressWarnings("restricted")
    static void main(String[] arguments) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MethodHandle mmap = linker.downcallHandle(
                linker.defaultLookup().find("mmap").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG));
        long page = (long) mmap.invokeExact(0L, 4096L, PROTECTION, ANONYMOUS, -1, 0L);
        MemorySegment code = MemorySegment.ofAddress(page).reinterpret(4096);
        MemorySegment.copy(CODE, 0, code, ValueLayout.JAVA_BYTE, 0, CODE.length);
        Linker.Option[] options = arguments[0].equals("critical")
                ? new Linker.Option[] {Linker.Option.critical(false)}
                : new Linker.Option[0];
        MethodHandle spin = linker.downcallHandle(code, FunctionDescriptor.ofVoid(), options);
        Thread thread = new Thread(() -> call(spin), "unwalkable");
        thread.setDaemon(true);
        thread.start();
        while (!isSpinning(thread)) {
            Thread.onSpinWait();
        }
        System.out.println("READY unwalkable");
        System.in.read();
    }

    private static volatile boolean called;

    private static void call(MethodHandle spin) {
        try {
            called = true;
            spin.invokeExact();
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Returns whether the thread has used CPU for a while since it announced the call. */
    private static boolean isSpinning(Thread thread) throws InterruptedException {
        if (!called || !thread.isAlive()) {
            return false;
        }
        thread.join(200);
        return true;
    }
}
