/** Offsets and flags of the file with which a JVM starts with a profiler: docs/formats/launch-file.md. */
@org.jspecify.annotations.NullMarked
package mayfly.wire.launch;
