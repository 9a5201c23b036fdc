/** Options that several commands share, and the converters of their values. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.option;
