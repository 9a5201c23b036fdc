/** JSON as text. */
@org.jspecify.annotations.NullMarked
package mayfly.report.json;
