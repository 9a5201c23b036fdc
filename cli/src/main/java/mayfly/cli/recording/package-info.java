/** The flow of a recording, from its options to its outputs. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.recording;
