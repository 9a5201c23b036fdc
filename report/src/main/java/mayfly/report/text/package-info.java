/** A profile as readable text: the hottest frames and their callers. */
@org.jspecify.annotations.NullMarked
package mayfly.report.text;
