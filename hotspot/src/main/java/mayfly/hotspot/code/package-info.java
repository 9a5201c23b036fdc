/**
 * The code cache and its contents: blobs, nmethods, their debug information, and the methods they were compiled from.
 */
@org.jspecify.annotations.NullMarked
package mayfly.hotspot.code;
