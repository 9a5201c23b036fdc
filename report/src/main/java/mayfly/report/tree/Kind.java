package mayfly.report.tree;

/** The kind of a frame, for colour and legend. The order is that of the legend and of the flame graph's encoding. */
public enum Kind {
    INTERPRETED("interpreted"),
    C1("C1"),
    C2("C2"),
    INLINED("inlined"),
    /** Inlined according to debug information of nearby code. */
    INFERRED("inlined, inferred"),
    NATIVE_METHOD("native method"),
    STUB("stub"),
    VM("VM"),
    NATIVE("native"),
    KERNEL("kernel"),
    /** Replaces missing or omitted frames. */
    BROKEN("incomplete"),
    /** A thread's name. */
    THREAD("thread");

    private final String label;

    Kind(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    /**
     * Returns true if frames of this kind are methods of a managed runtime. A method has one node for all ways in which
     * it is executed.
     */
    public boolean isManaged() {
        return ordinal() <= NATIVE_METHOD.ordinal();
    }
}
