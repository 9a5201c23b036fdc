/**
 * Types that most modules share: frames, stacks, samples, outcomes, the ledger; and the capture format in which they
 * are stored.
 */
@org.jspecify.annotations.NullMarked
package mayfly.profile;
