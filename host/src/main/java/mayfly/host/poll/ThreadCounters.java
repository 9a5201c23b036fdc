package mayfly.host.poll;

/**
 * The highest value of a counter of each thread. A look begins with {@link #next}; a thread whose counter is not raised
 * in a look is forgotten by the next one. Uses no class of the JDK but arrays.
 */
final class ThreadCounters {
    private static final int FIRST_CAPACITY = 64;

    /**
     * Hash tables of the threads of the last look and of this one: numbers of threads, 0 for a free place, and their
     * counters. An entry whose place is taken is in the next free place after it.
     */
    private long[] lastThreads = new long[FIRST_CAPACITY];

    private long[] lastValues = new long[FIRST_CAPACITY];
    private long[] threads = new long[FIRST_CAPACITY];
    private long[] values = new long[FIRST_CAPACITY];

    /** Begins a look at that many threads. */
    void next(int count) {
        long[] freeThreads = lastThreads;
        long[] freeValues = lastValues;
        lastThreads = threads;
        lastValues = values;
        int capacity = Math.max(FIRST_CAPACITY, Integer.highestOneBit(Math.max(1, count)) * 4);
        if (freeThreads.length == capacity) {
            for (int i = 0; i < capacity; i++) {
                freeThreads[i] = 0;
            }
        } else {
            freeThreads = new long[capacity];
            freeValues = new long[capacity];
        }
        threads = freeThreads;
        values = freeValues;
    }

    private static int place(long[] in, long thread) {
        int at = (int) thread & (in.length - 1);
        while (in[at] != 0 && in[at] != thread) {
            at = (at + 1) & (in.length - 1);
        }
        return at;
    }

    /**
     * Returns by how much a counter exceeds its highest value of the last look, or 0 if it does not. The counter of a
     * thread that was not in the last look was 0.
     *
     * @param thread the number of the thread, which is not 0
     */
    long raise(long thread, long value) {
        int before = place(lastThreads, thread);
        long highest = lastThreads[before] == thread ? lastValues[before] : 0;
        int at = place(threads, thread);
        threads[at] = thread;
        values[at] = Math.max(highest, value);
        return values[at] - highest;
    }

    /** Forgets all threads. */
    void clear() {
        lastThreads = new long[FIRST_CAPACITY];
        lastValues = new long[FIRST_CAPACITY];
        threads = new long[FIRST_CAPACITY];
        values = new long[FIRST_CAPACITY];
    }
}
