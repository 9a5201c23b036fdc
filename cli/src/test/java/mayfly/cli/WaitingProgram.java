package mayfly.cli;

import java.io.IOException;

/** A JVM for tests: says when it is there, then waits for the end of its input. */
final class WaitingProgram {

    private WaitingProgram() {
    }

    public static void main(String[] args) throws IOException {
        System.out.println("READY");
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
    }
}
