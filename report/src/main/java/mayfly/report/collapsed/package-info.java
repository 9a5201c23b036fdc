/** Collapsed stacks: one line for each distinct stack, for flamegraph.pl, speedscope and their like. */
@org.jspecify.annotations.NullMarked
package mayfly.report.collapsed;
