/** Sessions: find the target, check what is permitted, open, sample, walk, capture, close. */
@org.jspecify.annotations.NullMarked
package mayfly.sampler;
