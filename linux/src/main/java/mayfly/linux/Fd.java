package mayfly.linux;

/** close(2): a file descriptor of ours, closed once. */
final class Fd implements AutoCloseable {
    private int number;

    Fd(int number) {
        this.number = number;
    }

    synchronized int number() {
        if (number < 0) {
            throw new IllegalStateException("closed");
        }
        return number;
    }

    /** Its path in our own /proc, through which Java opens or lists what it refers to. */
    String path() {
        return "/proc/self/fd/" + number();
    }

    @Override
    public synchronized void close() {
        if (number >= 0) {
            Syscall.call(Syscall.CLOSE, number);
            number = -1;
        }
    }
}
