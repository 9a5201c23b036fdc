package mayfly.hotspot.code;

/**
 * A rule that chooses the method that ran in a compiled method with debug information at calls and polls only.
 * {@code testing/bench/run leaf} measures every rule; walks use {@link #BRANCHES}.
 */
public enum LeafRule {
    /** The method of the next call or poll by address, as in HotSpot itself and other profilers. */
    AFTER,
    /** The method of the last call or poll by address. */
    BEFORE,
    /** The innermost scope that the locations of {@link #AFTER} and {@link #BEFORE} have in common. */
    COMMON,
    /** The method of the nearest described location, including branches to rare paths and faulting instructions. */
    BRANCHES
}
