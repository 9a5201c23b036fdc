/** The HTML flame graph: one self-contained file. */
@org.jspecify.annotations.NullMarked
package mayfly.report.flamegraph;
