package mayfly.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A JVM for tests: says when it is there, then waits for the end of its input. A file that it is given it keeps locked. */
final class WaitingProgram {

    private WaitingProgram() {
    }

    public static void main(String[] args) throws IOException {
        if (args.length > 0) {
            FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE).lock();
        }
        System.out.println("READY");
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }
}
