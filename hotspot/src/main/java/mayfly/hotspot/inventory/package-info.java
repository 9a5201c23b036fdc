/** An inventory of a VM's classes, flags, properties, agents and listeners. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.inventory;
