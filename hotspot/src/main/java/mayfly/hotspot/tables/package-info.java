/**
 * The tables by which a VM describes itself: its exported structures, symbols, flags and version, with rows for the
 * differences between JDKs.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.tables;
