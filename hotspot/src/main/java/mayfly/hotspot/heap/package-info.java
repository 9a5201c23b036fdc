/** Objects of the Java heap, read through the barriers of each collector. */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.heap;
