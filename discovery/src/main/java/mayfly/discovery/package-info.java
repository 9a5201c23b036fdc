/**
 * Opens a target, and finds and numbers the runtimes in it. The commands reach a process through this package, which
 * also explains why a process cannot be read.
 *
 * <p>A process id comes in; an {@link InspectedProcess} goes out, with the process's code, its runtimes and a walker
 * for its stacks. {@link ProcessRuntimes} is the only class that finds and numbers runtimes: its table {@code LOADERS}
 * has a row for each kind. {@link ProcessList} lists the runtimes on this machine, {@link SpawnedProcess} starts a
 * program, and {@link Doctor} checks the preconditions of a recording.
 *
 * <p>The id of a runtime does not change for the life of its process, and every command computes the same id. A target
 * that cannot be opened or read results in a {@link Refused} with the cause and the remedy, which {@link Refusals}
 * derives from the error of a lower module. Each reason has a section in docs/troubleshooting.md.
 */
@org.jspecify.annotations.NullMarked
package mayfly.discovery;
