/**
 * Measures profilers side by side in one run, verifies the rates by the number of delivered samples, and writes tables.
 * This is no test: it prints figures.
 */
@NullMarked
package mayfly.bench;

import org.jspecify.annotations.NullMarked;
