/**
 * The tables by which a VM describes itself: its exported structures, symbols, flags and version, and what
 * differs between JDKs as rows.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.tables;
