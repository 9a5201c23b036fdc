package mayfly.linux.trace;

/**
 * A program that stops a thread of another process and holds it until it is killed: {@code TID}, or {@code TID signal}
 * to hold it when a signal, sent by another process, is about to be delivered. With {@code TID signal reap} a second
 * thread tries to reap the tracee, which has not ended.
 */
final class HoldingTracer {
    private HoldingTracer() {}

    static void main(String[] arguments) throws Exception {
        int tid = Integer.parseInt(arguments[0]);
        Ptrace ptrace = new Ptrace();
        if (ptrace.seize(tid) != 0 || arguments.length == 1 && ptrace.interrupt(tid) != 0) {
            System.out.println("refused");
            return;
        }
        if (arguments.length > 1) {
            System.out.println("seized");
        }
        while (ptrace.stopped(tid) == 0) {
            Thread.onSpinWait();
        }
        if (arguments.length > 2) {
            Thread reaper = new Thread(() -> new Ptrace().reap(tid));
            reaper.start();
            reaper.join();
        }
        System.out.println("held");
        System.in.read();
    }
}
