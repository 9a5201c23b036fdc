/**
 * Tests of a profiler in a real JVM, by the installed command {@code mayfly}. Usable from any test framework. Types of
 * {@code mayfly.client} are parts of its signatures.
 */
module mayfly.api.testing {
    requires static org.jspecify;
    requires transitive mayfly.client;

    exports mayfly.api.testing;
}
