package mayfly.e2e;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A target that executes another program, see execve(2), when it receives a line. */
final class Execs {
    private Execs() {}

    @SuppressWarnings("restricted")
    static void main() throws Throwable {
        Linker linker = Linker.nativeLinker();
        var execv = linker.downcallHandle(
                linker.defaultLookup().find("execv").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        System.out.println("READY execs");
        if (System.in.read() < 0) {
            throw new IOException("the input has ended");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment program = arena.allocateFrom("/bin/sleep");
            MemorySegment arguments = arena.allocate(ValueLayout.ADDRESS, 3);
            arguments.setAtIndex(ValueLayout.ADDRESS, 0, program);
            arguments.setAtIndex(ValueLayout.ADDRESS, 1, arena.allocateFrom("600"));
            int failed = (int) execv.invokeExact(program, arguments);
            throw new IOException("execv returned " + failed);
        }
    }
}
