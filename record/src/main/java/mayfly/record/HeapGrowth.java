package mayfly.record;

/**
 * Collects garbage before the heap grows. By default the serial collector expands the heap up to its maximum, so a
 * long recording would fill the maximum with garbage.
 */
final class HeapGrowth {
    /** Amount of garbage that justifies a collection, which takes 2 to 3 ms for each MB that remains. */
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
