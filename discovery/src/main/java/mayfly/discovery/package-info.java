/**
 * A process and its runtimes.
 *
 * <p>A target is opened once. Its modules and runtimes are found and numbered, and a failure is a refusal that
 * names the cause and the remedy.
 */
@org.jspecify.annotations.NullMarked
package mayfly.discovery;
