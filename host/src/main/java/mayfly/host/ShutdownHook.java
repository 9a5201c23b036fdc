package mayfly.host;

/** Notifies the profiler when the JVM ends in an orderly way. It is removed when a detach begins. */
final class ShutdownHook extends Thread {
    private final Host host;

    ShutdownHook(Host host) {
        super(null, null, "Mayfly shutdown", 0, false);
        this.host = host;
    }

    void add() {
        try {
            Runtime.getRuntime().addShutdownHook(this);
        } catch (IllegalStateException e) {
            // The JVM is already ending.
        }
    }

    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(this);
        } catch (IllegalStateException e) {
            // The JVM is ending, and does not permit the removal.
        }
    }

    @Override
    public void run() {
        try {
            host.shutdown();
        } catch (Throwable e) {
            Vm.countThrown();
        }
    }
}
