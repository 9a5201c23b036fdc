/**
 * The parts of which commands are made, options that several commands share, and the converters of their values.
 *
 * <p>A {@link Definition} is a {@link Flag}, an {@link Option}, an {@link Argument}, or a class that holds several,
 * such as {@link RecordingArguments}. A command lists its definitions, and reads their values after picocli has parsed
 * the command line.
 */
@org.jspecify.annotations.NullMarked
package mayfly.cli.option;
