package mayfly.host;

/** Tells the profiler when the JVM ends in an orderly way. It is taken back when a detach begins. */
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
            // It is ending already.
        }
    }

    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(this);
        } catch (IllegalStateException e) {
            // It is ending: everything goes with it.
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
