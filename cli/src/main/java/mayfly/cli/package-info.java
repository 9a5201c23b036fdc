/** The entry points: the command line, and the programs that the build runs. */
@org.jspecify.annotations.NullMarked
package mayfly.cli;
