/** Help pages, suggestions, and the scripts that complete a command line in a shell. */
@org.jspecify.annotations.NullMarked
package mayfly.cli.help;
