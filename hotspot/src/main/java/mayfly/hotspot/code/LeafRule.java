package mayfly.hotspot.code;

/**
 * How the method that ran is chosen where a compiled method has debug information at calls and polls only. Every rule
 * is measured by {@code testing/bench/run leaf}; walks use {@link #BRANCHES}.
 */
public enum LeafRule {
    /** That of the next call or poll by address, as HotSpot itself and other profilers choose. */
    AFTER,
    /** That of the last call or poll by address. */
    BEFORE,
    /** The scopes that both have in common. */
    COMMON,
    /** That of the nearest place, branches to rare paths and faulting instructions included. */
    BRANCHES
}
