/** The VM's performance counters, which jstat reads too: see perfMemory.hpp and perfData.hpp. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.counters;
