/** Output: the terminal, messages, exit codes, and results as text and JSON. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.output;
