/** Records walks, keeps those with features that are hard to walk, and replays them. */
@org.jspecify.annotations.NullMarked
package mayfly.corpus;
