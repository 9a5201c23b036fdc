/**
 * A runtime for CPython that interposes its frames and supports only the recorded walks. It tests the runtime interface
 * with an existing interpreter, and is not part of Mayfly.
 */
@org.jspecify.annotations.NullMarked
package mayfly.corpus.python;
