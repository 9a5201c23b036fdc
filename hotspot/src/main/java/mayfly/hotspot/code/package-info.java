/**
 * The code cache and what it holds: blobs, nmethods, their debug information, and the methods that they were
 * compiled from.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.code;
