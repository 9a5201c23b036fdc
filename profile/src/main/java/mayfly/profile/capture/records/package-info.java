/** Readers of the records of a capture, which check all bounds. */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture.records;
