/**
 * The types that most modules share: frames, stacks, samples, outcomes, threads, events and the ledger. The module
 * depends on no other.
 *
 * <p>During a recording, a {@link StackTable} assigns ids to frames and stacks. Afterwards a {@link Profile} has the
 * samples of one event, as read from a capture; {@link mayfly.profile.capture} writes and reads the file. Start reading
 * at {@link Frame}, {@link WalkOutcome} and {@link Profile}.
 *
 * <p>Every sample has exactly one {@link WalkOutcome}, and the {@link Ledger} accounts for each sample, including those
 * that were lost. The ids of outcomes, units and measures are written to captures and never change. All texts come from
 * the target or from a file: they are untrusted, and a report escapes them before it shows them.
 */
@org.jspecify.annotations.NullMarked
package mayfly.profile;
