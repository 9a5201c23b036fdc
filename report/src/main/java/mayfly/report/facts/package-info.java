/** What a report says of a recording besides its frames. */
@org.jspecify.annotations.NullMarked
package mayfly.report.facts;
