/** The VM's threads: their list, names, states and owners. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.threads;
