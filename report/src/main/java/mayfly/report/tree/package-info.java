/** The call tree of a profile, which the formats draw or print. */
@org.jspecify.annotations.NullMarked
package mayfly.report.tree;
