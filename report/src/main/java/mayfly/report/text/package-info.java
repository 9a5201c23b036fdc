/** A profile as text to read: what is hot, and who calls it. */
@org.jspecify.annotations.NullMarked
package mayfly.report.text;
