/** The file format of speedscope, version 0.0.1 of its JSON schema. */
@org.jspecify.annotations.NullMarked
package mayfly.report.speedscope;
