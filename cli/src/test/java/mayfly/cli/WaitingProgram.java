package mayfly.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A JVM for tests: prints a line when it has started, then waits for the end of its input. If a file is given, it is
 * kept locked.
 */
final class WaitingProgram {

    private WaitingProgram() {}

    public static void main(String[] args) throws IOException {
        if (args.length > 0) {
            FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .lock();
        }
        System.out.println("READY");
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }
}
