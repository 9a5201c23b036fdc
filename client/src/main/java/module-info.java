/**
 * Mayfly as a library: runs the installed command {@code mayfly} and returns its results as Java types. Only the
 * package {@code mayfly.client} is exported; its compatibility is described there.
 */
module mayfly.client {
    requires static org.jspecify;

    exports mayfly.client;
}
