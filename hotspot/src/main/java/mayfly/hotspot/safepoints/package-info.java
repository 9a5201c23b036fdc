/** The VM's record of its latest safepoint, see safepoint.hpp. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.safepoints;
