/**
 * The states of a hosted profiler: those of the library, and the smaller set that its record shows to other processes.
 */
@org.jspecify.annotations.NullMarked
package mayfly.wire.life;
