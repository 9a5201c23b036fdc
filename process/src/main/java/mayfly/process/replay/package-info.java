/** A target process that is replayed from a file. */
@org.jspecify.annotations.NullMarked
package mayfly.process.replay;
