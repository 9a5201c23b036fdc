/**
 * Measures profilers side by side in one run, verifies the rates by the number of delivered samples, and writes tables.
 * It is not a test: it asserts nothing and prints figures.
 */
@NullMarked
package mayfly.bench;

import org.jspecify.annotations.NullMarked;
