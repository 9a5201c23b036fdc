package mayfly.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** A target that changes its user or its root directory on the commands {@code setuid N} and {@code chroot PATH}. */
final class ChangingTarget {
    private ChangingTarget() {}

    @SuppressWarnings("restricted")
    static void main() throws Throwable {
        Linker linker = Linker.nativeLinker();
        var setuid = linker.downcallHandle(
                linker.defaultLookup().find("setuid").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        var chroot = linker.downcallHandle(
                linker.defaultLookup().find("chroot").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        System.out.println("READY changing");
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null && !line.equals("exit"); line = in.readLine()) {
                String[] words = line.split(" ", 2);
                int failed = switch (words[0]) {
                    case "setuid" -> (int) setuid.invokeExact(Integer.parseInt(words[1]));
                    case "chroot" -> {
                        try (Arena arena = Arena.ofConfined()) {
                            yield (int) chroot.invokeExact(arena.allocateFrom(words[1]));
                        }
                    }
                    default -> throw new IOException("not understood: " + line);
                };
                System.out.println(failed);
            }
        }
    }
}
