/**
 * Converts a profile to an output format. There is one package for each format; {@code tree}, {@code facts} and {@code
 * json} are not formats: several packages use them.
 *
 * <p>A {@link mayfly.profile.Profile} and {@link mayfly.report.tree.ConversionOptions} come in, and bytes go out to a
 * stream. Start reading at {@link Conversion}, which calls the writer of a {@link Format}. The flame graph and the text
 * formats show a {@link mayfly.report.tree.CallTree}, in which the samples are summed; pprof, Speedscope and the
 * capture are written from the profile itself. {@link HeapEstimate} computes the heap that a conversion needs, from the
 * counts of the capture.
 *
 * <p>Names of threads, methods and files are untrusted text. Each format escapes them in its own way, mostly by {@link
 * mayfly.report.tree.SafeText}, so that a name cannot forge a line, a tag or a control sequence. An incomplete stack is
 * marked with its outcome.
 */
@org.jspecify.annotations.NullMarked
package mayfly.report;
