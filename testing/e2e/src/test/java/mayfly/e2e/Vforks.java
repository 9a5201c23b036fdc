package mayfly.e2e;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A target with a thread, {@code in-vfork}, that waits uninterruptibly: see src/test/c/vforks.c. */
final class Vforks {
    private Vforks() {}

    private static native void hold();

    @SuppressWarnings("restricted")
    static void main(String[] arguments) throws IOException {
        System.load(arguments[0]);
        Thread thread = new Thread(Vforks::hold, "in-vfork");
        thread.setDaemon(true);
        thread.start();
        while (!isUninterruptible("in-vfork")) {
            Thread.onSpinWait();
        }
        System.out.println("READY vforks");
        System.in.read();
    }

    private static boolean isUninterruptible(String name) throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                if (Files.readString(task.resolve("stat")).contains("(" + name + ") D ")) {
                    return true;
                }
            }
        }
        return false;
    }
}
