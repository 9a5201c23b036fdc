/** Sums up samples to a tree of frames, which the formats draw or print. */
@org.jspecify.annotations.NullMarked
package mayfly.report.tree;
