/** Conversions of a capture, one package per output format. */
@org.jspecify.annotations.NullMarked
package mayfly.report;
