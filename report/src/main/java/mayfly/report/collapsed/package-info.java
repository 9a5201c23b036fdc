/** Collapsed stacks: one line for each distinct stack, for flamegraph.pl, speedscope and similar tools. */
@org.jspecify.annotations.NullMarked
package mayfly.report.collapsed;
