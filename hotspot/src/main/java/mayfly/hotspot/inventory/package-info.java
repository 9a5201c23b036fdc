/** An inventory of what is loaded into a VM and how it is set: classes, flags, properties, agents and listeners. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.inventory;
