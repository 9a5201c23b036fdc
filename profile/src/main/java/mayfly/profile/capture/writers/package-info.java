/** Writers of the records of a capture: a class for each kind of record, as in {@code capture.records}. */
@org.jspecify.annotations.NullMarked
package mayfly.profile.capture.writers;
