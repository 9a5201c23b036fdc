/** The command line: the only main method, and the only code that prints and sets exit codes. */
@org.jspecify.annotations.NullMarked
package mayfly.cli;
