package mayfly.record;

/**
 * Collects garbage before the heap grows. Left alone, the serial collector takes more memory as long as it may, and a
 * recording that runs for long fills all of it with what it has forgotten.
 */
final class HeapGrowth {
    /** So much garbage is worth a collection. It takes 2 to 3 ms for each MB that stays. */
    private static final long WORTH_BYTES = 20L << 20;

    private final Runtime vm = Runtime.getRuntime();
    private long staying = used();

    void look() {
        if (used() - staying > WORTH_BYTES) {
            System.gc();
            staying = used();
        }
    }

    private long used() {
        return vm.totalMemory() - vm.freeMemory();
    }
}
