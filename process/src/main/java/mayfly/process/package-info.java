/**
 * What may be asked of a traced process. The room {@code linux} answers for a live one; a
 * {@link mayfly.process.RecordedProcess} answers from a file, so that everything above is tested from bytes.
 */
@org.jspecify.annotations.NullMarked
package mayfly.process;
