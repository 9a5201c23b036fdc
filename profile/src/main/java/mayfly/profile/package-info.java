/**
 * The words that every room shares: frames, stacks, samples, outcomes, the ledger; and the capture they are written
 * to.
 */
@org.jspecify.annotations.NullMarked
package mayfly.profile;
