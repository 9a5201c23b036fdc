/** Options for profilers and for the JVMs that get them, and the converters of their values. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.option.profiler;
