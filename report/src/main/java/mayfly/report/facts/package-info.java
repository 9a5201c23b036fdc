/** Information about a recording that a report gives in addition to its frames. */
@org.jspecify.annotations.NullMarked
package mayfly.report.facts;
