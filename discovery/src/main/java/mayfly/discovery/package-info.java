/**
 * A process and its runtimes.
 *
 * <p>A target is opened once. Its modules and runtimes are found and numbered. A failure is reported with its cause and
 * remedy.
 */
@org.jspecify.annotations.NullMarked
package mayfly.discovery;
