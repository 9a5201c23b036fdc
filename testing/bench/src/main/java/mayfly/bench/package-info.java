/**
 * Measures profilers side by side in one run, at rates checked by what was delivered, and writes tables. Nothing here
 * is a test: it prints figures.
 */
@NullMarked
package mayfly.bench;

import org.jspecify.annotations.NullMarked;
