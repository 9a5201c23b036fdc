/**
 * Reads objects of the Java heap from outside, for every garbage collector.
 *
 * <p>The address of an object or of a handle comes in; fields, arrays, texts and the classes of objects go out. Start
 * reading at {@link JavaHeap}, which reads references and headers, and at {@link HeapObjects}, which reads objects of
 * the JDK's classes by the names of their fields. {@link InstanceFields} finds the offsets of the fields, and {@link
 * JavaStrings} reads text. {@link LoadBarrier} resolves a reference as the collector itself would, and {@link
 * LoadBarriers} chooses the one for a VM.
 *
 * <p>A collector may move an object at any time. A value is valid only if the reference to its object is unchanged
 * afterwards and no collection has run meanwhile; the caller checks both. Arrays, maps and texts have upper bounds, and
 * every reference may be invalid.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.heap;
